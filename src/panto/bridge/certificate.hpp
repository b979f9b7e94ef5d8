#pragma once
// This computer's own certificate, for pages that browsers open by HTTPS alone.

#include <string>
#include <vector>

namespace panto::bridge {

/// Returns a new private key (P-256) and a certificate for it that it signs itself, valid for 825 days, as
/// PEM. `names`: IPv4 addresses and names of this computer. @throws Error when this program has no OpenSSL
/// inside, or that fails.
[[nodiscard]] std::string new_certificate(const std::vector<std::string>& names);

/// Returns whether text holds a private key and its certificate, which is valid for 30 days more.
[[nodiscard]] bool is_valid_certificate(const std::string& pem);

/// Reads the certificate from a file, so that a browser that accepted it once does not ask again. If there is
/// none, or it is no longer valid, makes a new one and writes the file, readable by this user alone. If the
/// file cannot be written, the certificate is good for this run, and `note` says so. @throws as
/// `new_certificate`.
[[nodiscard]] std::string kept_certificate(const std::string& path, const std::vector<std::string>& names,
                                           std::string& note);

/// Returns the file in this user's folder for state (XDG) that keeps the certificate of headsets' pages;
/// empty without such a folder.
[[nodiscard]] std::string usual_certificate_file();

}  // namespace panto::bridge
