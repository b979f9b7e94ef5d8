#pragma once
// A headset that sends by a page that it opens: its source, and the door by which it reaches the page.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/bridge/certificate.hpp"
#include "panto/bridge/headset_source.hpp"
#include "panto/bridge/live_view.hpp"
#include "panto/bridge/tls_front.hpp"
#include "panto/live/robot.hpp"

namespace panto::bridge {

class Headset {
 public:
  /// `at`: where headsets reach this computer; its port is not 0. `height`: the person's [m], if it is known.
  explicit Headset(live::UdpAddress at, std::optional<double> height = std::nullopt);

  [[nodiscard]] HeadsetSource& source() noexcept { return source_; }
  /// Lets a view serve the headset: sets token, names and where its messages go. This must outlive the view.
  void join(ViewOptions& options);
  /// Opens the door to a view that was made with these options. `certificate`: see `kept_certificate`.
  /// Returns a note for people, or nothing. @throws Error when it cannot listen, or this program has no
  /// OpenSSL inside.
  [[nodiscard]] std::string open(const LiveView& view,
                                 const std::string& certificate = usual_certificate_file());
  /// Returns the address for the headset's browser. The token after "#" is secret.
  [[nodiscard]] std::string address() const;
  /// Returns lines for people: the address, as a QR code too where a `terminal` shows them, and that of the
  /// view.
  [[nodiscard]] std::string invitation(const LiveView& view, bool terminal) const;

 private:
  live::UdpAddress at_;
  std::vector<std::string> hosts_;  // under which headsets may ask, without the port; the best one first
  std::string token_;
  HeadsetSource source_;
  std::unique_ptr<TlsFront> front_;
};

}  // namespace panto::bridge
