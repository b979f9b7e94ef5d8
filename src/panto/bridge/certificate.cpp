#include "panto/bridge/certificate.hpp"

#include <cstdlib>

#include "panto/base/error.hpp"
#include "panto/io/input.hpp"

#ifdef PANTO_TLS
#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <system_error>
#endif

namespace panto::bridge {

std::string usual_certificate_file() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/panto/headset.pem";
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.local/state/panto/headset.pem" : "";
}

#ifndef PANTO_TLS

std::string new_certificate(const std::vector<std::string>&) {
  throw Error("this program was built without OpenSSL (Debian: libssl-dev), so it serves no page by HTTPS");
}
bool is_valid_certificate(const std::string&) { return false; }
std::string kept_certificate(const std::string&, const std::vector<std::string>& names, std::string&) {
  return new_certificate(names);
}

#else

namespace {

constexpr long kDay = 86400, kDays = 825, kLeft = 30;
constexpr std::size_t kLargest = 65536;  // [bytes] of a file

template <auto free>
struct Freed {
  template <typename T>
  void operator()(T* one) const {
    free(one);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free> >;
using Certificate = std::unique_ptr<X509, Freed<X509_free> >;
using Bytes = std::unique_ptr<BIO, Freed<BIO_free_all> >;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free> >;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free> >;

void check(bool good) {
  if (!good) throw Error("OpenSSL cannot make a certificate");
}

void extend(X509* certificate, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  check(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

std::string alternative_names(const std::vector<std::string>& names) {
  std::string all = "DNS:localhost,IP:127.0.0.1";
  for (const std::string& name : names) {
    in_addr ignored{};
    all += (inet_pton(AF_INET, name.c_str(), &ignored) == 1 ? ",IP:" : ",DNS:") + name;
  }
  return all;
}

void set_serial(X509* certificate) {
  std::array<unsigned char, 16> random{};
  check(RAND_bytes(random.data(), static_cast<int>(random.size())) == 1);
  random[0] &= 0x7f;
  const Number number(BN_bin2bn(random.data(), static_cast<int>(random.size()), nullptr));
  check(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

Bytes reader_of(const std::string& pem) {
  return Bytes(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

std::string read_file(const std::string& path) {
  try {
    io::Input file(path);
    return std::string(file.whole(kLargest));
  } catch (const Error&) {
    return {};
  }
}

// Writes a file that only this user can read; it appears when it is complete. (`io::PartFile` lets others
// read.)
bool write_secret(const std::string& path, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  const std::string part = path + ".part";
  (void)unlink(part.c_str());
  const int handle = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (handle < 0) return false;
  const bool whole = write(handle, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool good = close(handle) == 0 && whole && rename(part.c_str(), path.c_str()) == 0;
  if (!good) (void)unlink(part.c_str());
  return good;
}

}  // namespace

std::string new_certificate(const std::vector<std::string>& names) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  check(key && certificate);
  X509* const x509 = certificate.get();
  check(X509_set_version(x509, 2) == 1);
  set_serial(x509);
  check(X509_gmtime_adj(X509_getm_notBefore(x509), -kDay) != nullptr &&
        X509_gmtime_adj(X509_getm_notAfter(x509), kDays * kDay) != nullptr);
  check(X509_set_pubkey(x509, key.get()) == 1);
  X509_NAME* const name = X509_get_subject_name(x509);
  const auto* const own = reinterpret_cast<const unsigned char*>("Panto on this computer");
  check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, own, -1, -1, 0) == 1 &&
        X509_set_issuer_name(x509, name) == 1);
  extend(x509, NID_basic_constraints, "critical,CA:FALSE");
  extend(x509, NID_key_usage, "critical,digitalSignature");
  extend(x509, NID_ext_key_usage, "serverAuth");
  extend(x509, NID_subject_alt_name, alternative_names(names));
  check(X509_sign(x509, key.get(), EVP_sha256()) > 0);

  const Bytes out(BIO_new(BIO_s_mem()));
  check(out && PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1 &&
        PEM_write_bio_X509(out.get(), x509) == 1);
  const char* text = nullptr;
  const long size = BIO_ctrl(out.get(), BIO_CTRL_INFO, 0, static_cast<void*>(&text));
  check(size > 0 && text != nullptr);
  return {text, static_cast<std::size_t>(size)};
}

bool is_valid_certificate(const std::string& pem) {
  const Key key(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, nullptr, nullptr));
  const Certificate certificate(PEM_read_bio_X509(reader_of(pem).get(), nullptr, nullptr, nullptr));
  if (!key || !certificate || X509_check_private_key(certificate.get(), key.get()) != 1) return false;
  int days = 0, seconds = 0;
  return ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get())) == 1 &&
         days >= kLeft;
}

std::string kept_certificate(const std::string& path, const std::vector<std::string>& names,
                             std::string& note) {
  std::string pem = path.empty() ? "" : read_file(path);
  if (is_valid_certificate(pem)) return pem;
  pem = new_certificate(names);
  if (!path.empty() && !write_secret(path, pem))
    note = "cannot keep the page's certificate in " + path + ": browsers will ask about it again next time";
  return pem;
}

#endif

}  // namespace panto::bridge
