#include "panto/live/datagram_sender.hpp"

#include <algorithm>
#include <utility>

namespace panto::live {

DatagramSender::DatagramSender(UdpSocket socket, const stream::ImpairmentOptions& faults, Clock clock)
    : socket_(std::move(socket)), network_(faults), clock_(std::move(clock)) {}

void DatagramSender::deliver(Time now) {
  while (network_.receive(now, datagram_)) ++(socket_.send(datagram_) ? sent_ : refused_);
}

void DatagramSender::wait_until(Time t) {
  for (Time now = clock_.now(); now < t; now = clock_.now()) {
    deliver(now);
    clock_.sleep_until(std::min(t, network_.next().value_or(t)));
  }
  deliver(t);
}

void DatagramSender::send(const stream::Datagrams& datagrams, Time due) {
  if (!std::exchange(begun_, true)) start_ = clock_.now();
  wait_until(start_ + due);
  for (const auto& datagram : datagrams) network_.send(datagram, start_ + due);
  deliver(std::max(start_ + due, clock_.now()));
}

void DatagramSender::finish() {
  network_.flush();
  while (const auto next = network_.next()) wait_until(*next);
}

}  // namespace panto::live
