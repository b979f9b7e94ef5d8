// What arrives at an address, one sample at a time: a person's segments, or raw sensors.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/live/address.hpp"
#include "panto/live/first_samples.hpp"
#include "panto/live/input.hpp"
#include "panto/math/so3.hpp"
#include "panto/stream/protocols.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

constexpr int kTick = 50;  // [ms] between looks at signals
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Hold Python's lock.
void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  virtual void begin(const std::string& from, double seconds, bool person_known) = 0;
  virtual bool read(std::optional<double> seconds, bool newest) = 0;
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
  [[nodiscard]] virtual std::optional<double> height() const = 0;
  [[nodiscard]] virtual nb::dict counts() const = 0;
  [[nodiscard]] virtual int port() const = 0;
  [[nodiscard]] virtual bool sensors() const = 0;

  double t = 0.0, rate = 0.0;
  bool cut = false;
  Rows orientations, positions, gyro, acc, mag;  // nan: not measured
};

void set_row(Rows& rows, std::size_t i, bool has, const auto& values) {
  const auto row = static_cast<Eigen::Index>(i);
  if (has)
    rows.row(row) = values.transpose();
  else
    rows.row(row).setConstant(kNothing);
}

void publish(const SegmentSample& sample, Stream& stream) {
  const auto count = static_cast<Eigen::Index>(sample.segments.size());
  stream.orientations.resize(count, 4);
  stream.positions.resize(count, 3);
  for (std::size_t i = 0; i < sample.segments.size(); ++i) {
    const SegmentMotion& segment = sample.segments[i];
    set_row(stream.orientations, i, segment.has_orientation, so3::to_quaternion_wxyz(segment.R_WS));
    set_row(stream.positions, i, segment.has_position, segment.p_WS);
  }
  stream.cut = stream.cut || sample.cut;
}

void publish(const ImuSample& sample, Stream& stream) {
  const auto count = static_cast<Eigen::Index>(sample.imus.size());
  stream.orientations.resize(count, 4);
  for (Rows* rows : {&stream.gyro, &stream.acc, &stream.mag}) rows->resize(count, 3);
  for (std::size_t i = 0; i < sample.imus.size(); ++i) {
    const ImuReading& reading = sample.imus[i];
    set_row(stream.gyro, i, reading.has_gyro, reading.gyro);
    set_row(stream.acc, i, reading.has_acc, reading.acc);
    set_row(stream.mag, i, reading.has_mag, reading.mag);
    set_row(stream.orientations, i, reading.has_orientation, reading.wxyz_GI);
  }
}

template <typename Sample>
class StreamOf final : public Stream {
 public:
  StreamOf(const live::UdpAddress& at, std::unique_ptr<stream::SampleStream<Sample>> decoder)
      : input_(live::UdpSocket::bound_to(at), std::move(decoder)) {}

  void begin(const std::string& from, double seconds, bool person_known) override {
    const nb::gil_scoped_release released;
    rate = live::first_samples(input_, {from, seconds, person_known}, [](const std::string&) {
      const nb::gil_scoped_acquire locked;
      check_signals();
    });
    take();
  }

  // False: none came in time.
  bool read(std::optional<double> seconds, bool newest) override {
    const Time end = live::monotonic_now() + from_seconds(seconds.value_or(0.0));
    for (;;) {
      const auto left = static_cast<int>((end - live::monotonic_now()) / 1'000'000);
      const bool came = next(seconds ? std::clamp(left, 0, kTick) : kTick, newest);
      check_signals();
      if (came) return true;
      if (seconds && live::monotonic_now() >= end) return false;
    }
  }

  std::vector<std::string> names() const override { return input_.decoder().names(); }
  std::vector<std::string> notes() const override { return input_.decoder().notes(); }
  std::optional<double> height() const override {
    const auto person = input_.decoder().person();
    return person ? std::optional(person->height) : std::nullopt;
  }
  nb::dict counts() const override {
    const stream::StreamCounts& all = input_.decoder().counts();
    nb::dict counts;
    counts["samples"] = samples_;
    counts["lost"] = all.lost;
    counts["late"] = all.of(stream::Brought::Late);
    counts["refused"] = all.of(stream::Brought::Refused);
    counts["foreign"] = input_.foreign();
    counts["overtaken"] = overtaken_;
    return counts;
  }
  int port() const override { return input_.port(); }
  bool sensors() const override { return std::is_same_v<Sample, ImuSample>; }

 private:
  bool next(int milliseconds, bool newest) {
    const nb::gil_scoped_release released;
    if (!input_.next(milliseconds)) return false;
    cut = false;
    take();
    while (newest && input_.next(0)) {
      ++overtaken_;
      take();
    }
    return true;
  }

  void take() {
    const Sample& sample = input_.decoder().sample();
    ++samples_;
    t = to_seconds(sample.t);
    publish(sample, *this);
  }

  live::LiveInput<Sample> input_;
  std::int64_t samples_ = 0, overtaken_ = 0;
};

std::unique_ptr<Stream> listen(const std::string& address) {
  const live::StreamAddress from = live::parse_stream_address(address, live::stream_schemes(true));
  if (stream::sends_sensors(from.scheme))
    return std::make_unique<StreamOf<ImuSample>>(from.at, stream::sensor_stream(from.scheme));
  return std::make_unique<StreamOf<SegmentSample>>(from.at,
                                                   stream::person_stream(from.scheme, from.character));
}

}  // namespace

void bind_streams(nb::module_& m) {
  constexpr auto kInternal = nb::rv_policy::reference_internal;
  nb::class_<Stream> bound(m, "Stream");
  bound.def("begin", &Stream::begin, "from"_a, "seconds"_a, "person_known"_a)
      .def("read", &Stream::read, "seconds"_a.none(), "newest"_a)
      .def_ro("t", &Stream::t)
      .def_ro("rate", &Stream::rate)
      .def_ro("cut", &Stream::cut)
      .def_prop_ro("names", &Stream::names)
      .def_prop_ro("notes", &Stream::notes)
      .def_prop_ro("height", &Stream::height)
      .def_prop_ro("counts", &Stream::counts)
      .def_prop_ro("port", &Stream::port)
      .def_prop_ro("sensors", &Stream::sensors);
  const auto rows = [&](const char* name, Rows Stream::*member) {
    bound.def_prop_ro(
        name, [member](const Stream& self) { return view(self.*member); }, kInternal);
  };
  rows("orientations", &Stream::orientations);
  rows("positions", &Stream::positions);
  rows("gyro", &Stream::gyro);
  rows("acc", &Stream::acc);
  rows("mag", &Stream::mag);
  m.def("listen", &listen, "address"_a);
}

}  // namespace panto::python
