#include "panto/io/mvnx_parser.hpp"
#include "panto/io/stamps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "panto/base/failure.hpp"

namespace panto::io {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMarkerBytes = 4096;

constexpr std::array<std::string_view, kMvnxVectorCount> kVectorNames{"orientation",
                                                                      "position",
                                                                      "velocity",
                                                                      "acceleration",
                                                                      "angularVelocity",
                                                                      "angularAcceleration",
                                                                      "footContacts",
                                                                      "sensorFreeAcceleration",
                                                                      "sensorAcceleration",
                                                                      "sensorAngularVelocity",
                                                                      "sensorMagneticField",
                                                                      "sensorOrientation",
                                                                      "jointAngle",
                                                                      "jointAngleXZY",
                                                                      "jointAngleErgo",
                                                                      "jointAngleErgoXZY",
                                                                      "centerOfMass"};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// some editors strip or rename the namespace: only the local name counts
std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

double mvnx_number(std::string_view word) {
  if (word.size() > 1 && word.front() == '+') word.remove_prefix(1);
  double value = kNaN;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size()) return kNaN;
  // too small for a double is zero, too large is NaN
  if (error == std::errc::result_out_of_range)
    return word.find_first_of("eE") + 1 == word.find('-', 1) ? 0.0 : kNaN;
  return error == std::errc{} && std::isfinite(value) ? value : kNaN;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = without_blanks(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t largest = 1'000'000'000'000'000;  // larger values are damage
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  if (!whole || value > largest || value < -largest) return std::nullopt;
  return value;
}

// returns text of a file for a message: short, on one line
std::string shown(std::string_view text) {
  std::string out(text.substr(0, 60));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text.size() > 60 ? out + "..." : out;
}

}  // namespace

std::string_view to_string(MvnxVector vector) noexcept {
  return kVectorNames[static_cast<std::size_t>(vector)];
}

int parse_mvnx_numbers(std::string_view text, std::vector<double>& numbers) {
  numbers.clear();
  int refused = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !is_blank(text[end])) ++end;
    numbers.push_back(mvnx_number(text.substr(i, end - i)));
    if (std::isnan(numbers.back())) ++refused;
    i = end;
  }
  return refused;
}

// expat's null-terminated list of names and values
struct MvnxFile::Parser::Attributes {
  const XML_Char** list;
  [[nodiscard]] std::string_view operator[](std::string_view wanted) const {
    for (const XML_Char** a = list; a != nullptr && *a != nullptr; a += 2) {
      if (local_name(a[0]) == wanted) return a[1];
    }
    return {};
  }
};

MvnxFile::Parser::Parser(std::unique_ptr<std::istream> stream, std::string file_name, MvnxVectors wanted,
                         const MvnxLimits& limits)
    : name(std::move(file_name)),
      stream_(std::move(stream)),
      xml_(XML_ParserCreate(nullptr)),
      wanted_(wanted | only(MvnxVector::Orientation)),
      limits_(limits) {
  if (!xml_) throw std::bad_alloc();
  XML_SetUserData(xml_.get(), this);
  XML_SetElementHandler(xml_.get(), on_start, on_end);
  XML_SetCharacterDataHandler(xml_.get(), on_text);
  XML_SetDefaultHandler(xml_.get(), on_other);
  XML_SetEntityDeclHandler(xml_.get(), on_entity);
  XML_SetSkippedEntityHandler(xml_.get(), on_skipped_entity);
}

// ---- expat's events; exceptions must not cross its C frames

template <typename Work>
void MvnxFile::Parser::guarded(Work work) noexcept {
  try {
    last_event_ = static_cast<std::int64_t>(XML_GetCurrentByteIndex(xml_.get()));
    if (!done_) work();
  } catch (...) {
    done_ = true;
    explain_failure(name, problem);
    XML_StopParser(xml_.get(), XML_FALSE);
  }
}

void MvnxFile::Parser::on_start(void* self, const XML_Char* tag, const XML_Char** attributes) noexcept {
  auto& parser = *static_cast<Parser*>(self);
  parser.guarded([&] { parser.start(local_name(tag), Attributes{attributes}); });
}

void MvnxFile::Parser::on_end(void* self, const XML_Char*) noexcept {
  auto& parser = *static_cast<Parser*>(self);
  parser.guarded([&] {
    const Place place = parser.places_.back();
    parser.places_.pop_back();
    parser.end(place);
    parser.collecting_ = false;
  });
}

void MvnxFile::Parser::on_text(void* self, const XML_Char* text, int length) noexcept {
  auto& parser = *static_cast<Parser*>(self);
  parser.guarded([&] {
    if (!parser.collecting_) return;
    const auto bytes = static_cast<std::size_t>(length);
    if (parser.text_.size() + bytes > parser.limits_.text_bytes) {
      parser.fail(fmt::format("an element contains more than {} bytes of text", parser.limits_.text_bytes));
      return;
    }
    parser.text_.append(text, bytes);
  });
}

void MvnxFile::Parser::on_other(void* self, const XML_Char*, int) noexcept {
  static_cast<Parser*>(self)->guarded([] {});
}

void MvnxFile::Parser::on_entity(void* self, const XML_Char* entity, int, const XML_Char*, int,
                                 const XML_Char*, const XML_Char*, const XML_Char*,
                                 const XML_Char*) noexcept {
  auto& parser = *static_cast<Parser*>(self);
  parser.guarded([&] {
    parser.fail(
        fmt::format("the document declares the entity '{}'; MVNX has none, and expanding them is not safe",
                    shown(entity)));
  });
}

void MvnxFile::Parser::on_skipped_entity(void* self, const XML_Char* entity, int) noexcept {
  auto& parser = *static_cast<Parser*>(self);
  parser.guarded([&] { parser.fail(fmt::format("the entity '&{};' is not defined", shown(entity))); });
}

// ---- elements

void MvnxFile::Parser::start(std::string_view tag, const Attributes& attributes) {
  if (static_cast<int>(places_.size()) >= limits_.depth) {
    fail(fmt::format("elements are nested deeper than {}", limits_.depth));
    return;
  }
  collecting_ = false;
  if (places_.empty()) {
    if (tag != "mvnx") {
      fail(fmt::format("the root element is <{}>, not <mvnx>", shown(tag)));
      return;
    }
    header.version = std::string(attributes["version"].substr(0, 32));
    std::from_chars(header.version.data(), header.version.data() + header.version.size(), header.major);
    places_.push_back(Place::Mvnx);
    return;
  }
  const Place place = enter(places_.back(), tag, attributes);
  switch (place) {
    case Place::PointPosition:
    case Place::Connector1:
    case Place::Connector2:
    case Place::Vector:
    case Place::Marker:
      collecting_ = true;
      text_.clear();
      break;
    default:
      break;
  }
  places_.push_back(place);
}

// size: one table of elements: what each may hold
MvnxFile::Parser::Place MvnxFile::Parser::enter(Place parent, std::string_view tag,
                                                const Attributes& attributes) {
  switch (parent) {
    case Place::Mvnx:
      if (tag == "mvn") header.software = std::string(attributes["version"].substr(0, 64));
      if (tag != "subject") return Place::Elsewhere;
      start_subject(attributes);
      return Place::Subject;
    case Place::Subject:
      return enter_subject_part(tag, attributes);
    case Place::Segments:
      if (tag != "segment") return Place::Elsewhere;
      add_segment(attributes);
      return Place::Segment;
    case Place::Segment:
      return tag == "points" ? Place::Points : Place::Elsewhere;
    case Place::Points: {
      auto& points = header.segments.back().points;
      if (tag != "point") return Place::Elsewhere;
      if (points.size() >= limits_.points_per_segment) {
        fail(fmt::format("a segment has more than {} points", limits_.points_per_segment));
        return Place::Elsewhere;
      }
      points.push_back({std::string(attributes["label"].substr(0, 256)), Eigen::Vector3d::Constant(kNaN)});
      return Place::Point;
    }
    case Place::Point:
      return tag == "pos_b" || tag == "pos_s" ? Place::PointPosition : Place::Elsewhere;
    case Place::Sensors:
    case Place::Contacts: {
      const bool sensor = parent == Place::Sensors;
      auto& labels = sensor ? header.sensors : header.contacts;
      if (tag != (sensor ? "sensor" : "contactDefinition")) return Place::Elsewhere;
      if (labels.size() >= limits_.sensors)
        fail(fmt::format("there are more than {} sensors", limits_.sensors));
      labels.emplace_back(attributes["label"].substr(0, 256));
      return Place::Elsewhere;
    }
    case Place::Joints:
      if (tag != "joint") return Place::Elsewhere;
      if (header.joints.size() >= limits_.joints)
        fail(fmt::format("there are more than {} joints", limits_.joints));
      header.joints.push_back({std::string(attributes["label"].substr(0, 256)), {}, {}, {}, {}});
      return Place::Joint;
    case Place::Joint:
      return tag == "connector1"   ? Place::Connector1
             : tag == "connector2" ? Place::Connector2
                                   : Place::Elsewhere;
    case Place::ErgonomicJoints:
      if (tag == "ergonomicJointAngle" && header.ergonomic_joint_count < 1024) ++header.ergonomic_joint_count;
      return Place::Elsewhere;
    case Place::Frames:
      if (tag != "frame") return Place::Elsewhere;
      start_frame(attributes);
      return Place::Frame;
    case Place::Frame:
      return enter_frame_part(tag);
    default:
      return Place::Elsewhere;
  }
}

MvnxFile::Parser::Place MvnxFile::Parser::enter_subject_part(std::string_view tag,
                                                             const Attributes& attributes) {
  // the meaning of the vectors cannot change after the first frame
  if (frames > 0 && tag != "frames") return Place::Elsewhere;
  if (tag == "segments") return Place::Segments;
  if (tag == "sensors") return Place::Sensors;
  if (tag == "joints") return Place::Joints;
  if (tag == "ergonomicJointAngles") return Place::ErgonomicJoints;
  if (tag == "footContactDefinition") return Place::Contacts;
  if (tag != "frames") return Place::Elsewhere;

  // a declared count is only compared with the list, never trusted
  frames_ended_ = false;
  if (header.segments.empty())
    fail("<frames> comes before any <segment>: the names of the segments are missing");
  const auto declared = parse_integer(attributes["segmentCount"]);
  if (declared && static_cast<std::uint64_t>(*declared) != header.segments.size()) {
    notes.push_back(fmt::format("{}: segmentCount is {}, but {} segments are listed; the list is used",
                                at_line(line()), *declared, header.segments.size()));
  }
  return Place::Frames;
}

void MvnxFile::Parser::start_subject(const Attributes& attributes) {
  if (subject_seen_) {
    notes.push_back(fmt::format("{}: only the first subject is read", at_line(line())));
    done_ = true;
    XML_StopParser(xml_.get(), XML_FALSE);
    return;
  }
  subject_seen_ = true;
  header.subject = std::string(attributes["label"].substr(0, 256));
  header.configuration = std::string(attributes["configuration"].substr(0, 256));
  const std::string_view rate = without_blanks(attributes["frameRate"]);
  header.frame_rate_hz = rate.empty() ? kNaN : mvnx_number(rate);
  if (!(header.frame_rate_hz >= 0.01 && header.frame_rate_hz <= kFastestRate)) {
    fail(
        fmt::format("frameRate=\"{}\" of <subject> is not a rate in Hz between 0.01 and 10000", shown(rate)));
  }
}

void MvnxFile::Parser::add_segment(const Attributes& attributes) {
  MvnxSegment segment;
  segment.label = std::string(attributes["label"]);
  if (const auto id = parse_integer(attributes["id"]); id && *id > 0 && *id < 1'000'000)
    segment.id = static_cast<int>(*id);
  if (segment.label.empty() || segment.label.size() > 256) {
    fail("a <segment> has no usable label");
  } else if (header.find_segment(segment.label) != nullptr) {
    fail(fmt::format("two segments are named '{}'", shown(segment.label)));
  } else if (header.segments.size() >= limits_.segments) {
    fail(fmt::format("there are more than {} segments", limits_.segments));
  }
  header.segments.push_back(std::move(segment));
}

void MvnxFile::Parser::start_frame(const Attributes& attributes) {
  const std::string_view type = attributes["type"];
  frame.type.assign(type.empty() ? "normal" : type.substr(0, 32));
  frame.index = parse_integer(attributes["index"]);
  frame.time_ms = parse_integer(attributes["time"]);
  frame.time_code.assign(attributes["tc"].substr(0, 64));
  frame.marker.clear();
  for (auto& vector : frame.vectors) vector.clear();
  frame.line = line();
}

MvnxFile::Parser::Place MvnxFile::Parser::enter_frame_part(std::string_view tag) {
  if (tag == "marker") return Place::Marker;
  const auto found = std::find(kVectorNames.begin(), kVectorNames.end(), tag);
  if (found == kVectorNames.end()) return Place::Elsewhere;
  vector_ = static_cast<MvnxVector>(found - kVectorNames.begin());
  // the first frame's positions decide about the arms, whichever vectors are wanted
  const bool needed = frames == 0 && vector_ == MvnxVector::Position;
  return needed || (wanted_ & only(vector_)) != 0 ? Place::Vector : Place::Elsewhere;
}

void MvnxFile::Parser::end(Place place) {
  switch (place) {
    case Place::PointPosition:
      return end_point();
    case Place::Connector1:
      return end_connector(header.joints.back().parent, header.joints.back().parent_point);
    case Place::Connector2:
      return end_connector(header.joints.back().child, header.joints.back().child_point);
    case Place::Vector:
      return end_vector();
    case Place::Marker:
      frame.marker = std::string(without_blanks(text_).substr(0, kMarkerBytes));
      return;
    case Place::Frame:
      return end_frame();
    case Place::Frames:
      frames_ended_ = true;
      return;
    default:
      return;
  }
}

void MvnxFile::Parser::end_point() {
  std::vector<double> numbers;
  MvnxPoint& point = header.segments.back().points.back();
  if (parse_mvnx_numbers(text_, numbers) == 0 && numbers.size() == 3) {
    point.p_S = Eigen::Vector3d(numbers[0], numbers[1], numbers[2]);
    return;
  }
  note_once(noted_point_, fmt::format("{}: the point '{}' is not three numbers and is left out",
                                      at_line(line()), shown(point.label)));
}

void MvnxFile::Parser::end_connector(std::string& segment, std::string& point) {
  // "Pelvis/jL5S1"
  const std::string_view text = without_blanks(text_).substr(0, 512);
  const std::size_t slash = text.find('/');
  segment = std::string(without_blanks(text.substr(0, slash)));
  point =
      slash == std::string_view::npos ? std::string() : std::string(without_blanks(text.substr(slash + 1)));
}

std::size_t MvnxFile::Parser::expected(MvnxVector vector) const {
  const std::size_t S = header.segments.size(), N = header.sensors.size();
  switch (vector) {
    case MvnxVector::Orientation:
      return 4 * S;
    case MvnxVector::Position:
    case MvnxVector::Velocity:
    case MvnxVector::Acceleration:
    case MvnxVector::AngularVelocity:
    case MvnxVector::AngularAcceleration:
      return 3 * S;
    case MvnxVector::FootContacts:
      return header.contacts.size();
    case MvnxVector::SensorOrientation:
      return 4 * N;
    case MvnxVector::JointAngle:
    case MvnxVector::JointAngleXZY:
      return 3 * header.joints.size();
    case MvnxVector::JointAngleErgo:
    case MvnxVector::JointAngleErgoXZY:
      return 3 * static_cast<std::size_t>(header.ergonomic_joint_count);
    case MvnxVector::CenterOfMass:
      return 3;
    default:
      return 3 * N;
  }
}

void MvnxFile::Parser::end_vector() {
  auto& numbers = frame.vectors[static_cast<std::size_t>(vector_)];
  const int refused = parse_mvnx_numbers(text_, numbers);
  const std::size_t count = expected(vector_);
  // if the header lists nothing (0), any count is valid
  const bool fits =
      count == 0 || numbers.size() == count || (vector_ == MvnxVector::CenterOfMass && numbers.size() == 9);
  if (!fits) {
    const auto got = numbers.size();
    numbers.clear();
    ++refused_vectors;
    note_once(noted_count_, fmt::format("{}: <{}> holds {} numbers, expected {}; left out, as are others "
                                        "like it",
                                        at_line(line()), to_string(vector_), got, count));
  } else if (refused > 0) {
    refused_numbers += refused;
    note_once(noted_number_, fmt::format("{}: <{}> holds {} words that are not finite decimal numbers; their "
                                         "quantity is left out, as are others like it",
                                         at_line(line()), to_string(vector_), refused));
  }
}

void MvnxFile::Parser::end_frame() {
  if (frame.type == "normal") {
    frame_ready_ = true;
    XML_StopParser(xml_.get(), XML_TRUE);
    return;
  }
  const bool known =
      frame.type == "identity" || frame.type == "tpose" || frame.type == "tpose-isb" || frame.type == "npose";
  if (known) {
    specials.insert_or_assign(frame.type, frame);
  } else {
    note_once(noted_type_,
              fmt::format("{}: frames of type '{}' are left out", at_line(frame.line), shown(frame.type)));
  }
}

}  // namespace panto::io
