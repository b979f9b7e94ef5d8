#include "panto/bridge/headset.hpp"

#include <unistd.h>

#include <array>
#include <utility>

#include "panto/bridge/qr_code.hpp"
#include "panto/bridge/token.hpp"
#include "panto/live/address.hpp"
#include "panto/live/own_addresses.hpp"

namespace panto::bridge {
namespace {

std::vector<std::string> hosts_of(const live::UdpAddress& at) {
  std::vector<std::string> hosts;
  if (at.host == live::kAllNetworks)
    hosts = live::own_addresses();
  else
    hosts = {at.host.find(':') == std::string::npos ? at.host : "[" + at.host + "]"};
  hosts.insert(hosts.end(), {live::kThisComputer, "localhost"});
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0)
    hosts.insert(hosts.end(), {name.data(), std::string(name.data()) + ".local"});
  return hosts;
}

}  // namespace

Headset::Headset(live::UdpAddress at, std::optional<double> height)
    : at_(std::move(at)), hosts_(hosts_of(at_)), token_(new_token()), source_(token_, height) {}

void Headset::join(ViewOptions& options) {
  options.token = token_;
  for (const std::string& host : hosts_) {
    options.outside.hosts.push_back(host + ":" + std::to_string(at_.port));
    options.outside.origins.push_back("https://" + options.outside.hosts.back());
  }
  options.headset = [this](int handle, const std::string& head) { source_.adopt(handle, head); };
}

std::string Headset::open(const LiveView& view, const std::string& certificate) {
  std::string note;
  const std::string pem = kept_certificate(certificate, hosts_, note);
  front_ = std::make_unique<TlsFront>(at_, pem, view.outside_port());
  return note;
}

std::string Headset::address() const {
  return "https://" + hosts_.front() + ":" + std::to_string(at_.port) + "/#" + token_;
}

std::string Headset::invitation(const LiveView& view, bool terminal) const {
  return (terminal ? qr_code(address()) : "") + "panto: open " + address() +
         " in the headset's browser, or " + view.address() +
         " here\npanto: the browser warns of the certificate, which is this computer's own: go on\n";
}

}  // namespace panto::bridge
