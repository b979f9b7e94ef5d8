#include "panto/io/rig_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/toml_reader.hpp"
#include "panto/io/toml_text.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kLargestFile = 1U << 20U;
const std::vector<std::string> kAxes{"x", "y", "z", "-x", "-y", "-z"};

// reads the tables of a map; every error names its place
class Reader : TomlReader {
 public:
  Reader(const std::string& name, std::vector<std::string>& notes) : TomlReader(name), notes_(notes) {}

  RecordingHints read(std::string_view content) {
    const toml::table map = parse(content);
    check_keys(map, {"version", "family", "unit_m", "up", "person", "complete", "segments", "offsets_wxyz"},
               "a rig map");
    const toml::node* version = map.get("version");
    if (version == nullptr) throw FormatError(path() + ":1: no `version = 1`: is this a rig map?");
    check_version(*version);
    if (const toml::node* family = map.get("family")) (void)text(*family, "family");
    if (const toml::node* unit = map.get("unit_m")) options_.rig.unit = number(*unit, "unit_m", 1e-9, 1e9);
    if (const toml::node* up = map.get("up")) options_.rig.up = axis(*up);
    if (const toml::node* person = map.get("person")) options_.rig.person = joint(*person, "person");
    if (const toml::node* complete = map.get("complete")) {
      options_.rig.complete = yes_or_no(*complete, "complete");
    }
    if (const toml::node* segments = map.get("segments")) read_segments(table(*segments, "segments"));
    note_shared_joints();
    if (const toml::node* offsets = map.get("offsets_wxyz")) read_offsets(table(*offsets, "offsets_wxyz"));
    return std::move(options_);
  }

 private:
  std::string joint(const toml::node& node, const std::string& key) const {
    std::string name = text(node, key);
    if (name.empty()) fail(node, "`" + key + "` is empty; it must name a joint");
    return name;
  }

  std::string axis(const toml::node& node) const {
    std::string name = text(node, "up");
    if (std::find(kAxes.begin(), kAxes.end(), name) == kAxes.end())
      fail(node, unknown_name("axis", name, "`up`", kAxes));
    return name;
  }

  std::size_t segment(const toml::key& key) const {
    const int found = find_human_segment(key.str());
    if (found < 0) fail(key.source(), unknown_name("segment", key.str(), "the human", human_segment_names()));
    return at(found);
  }

  // RightUpperLeg = "RightUpLeg", or L3 = { from = "Spine", to = "Spine1", share = 0.5 }
  void read_segments(const toml::table& segments) {
    for (const auto& [key, node] : segments) {
      const std::size_t i = segment(key);
      const std::string name(key.str());
      if (!node.is_table()) {
        options_.rig.joint[i] = joint(node, name);
        continue;
      }
      const toml::table& spread = *node.as_table();
      check_keys(spread, {"from", "to", "share"}, "`" + name + "`");
      options_.rig.joint[i] = joint(needed(spread, "from", "`" + name + "`"), "from");
      options_.rig.next[i] = joint(needed(spread, "to", "`" + name + "`"), "to");
      options_.rig.share[i] = number(needed(spread, "share", "`" + name + "`"), "share", 0.0, 1.0);
    }
  }

  // two segments that follow the same joint never turn against each other
  void note_shared_joints() {
    const rig::Hints& rig = options_.rig;
    for (std::size_t i = 0; i < rig.joint.size(); ++i) {
      for (std::size_t k = i + 1; k < rig.joint.size(); ++k) {
        if (rig.joint[i].empty() || rig.joint[i] != rig.joint[k]) continue;
        if (!rig.next[i].empty() || !rig.next[k].empty()) continue;
        notes_.push_back(fmt::format("{}: {} and {} both follow joint '{}'; check that this is intended",
                                     path(), kHumanSegmentNames[i], kHumanSegmentNames[k], rig.joint[i]));
      }
    }
  }

  void read_offsets(const toml::table& offsets) {
    std::string up = options_.rig.up;
    if (const toml::node* node = offsets.get("up")) up = axis(*node);
    for (const auto& [key, node] : offsets) {
      if (key.str() != "up") read_offset(key, table(node, std::string(key.str())), up);
    }
  }

  void read_offset(const toml::key& key, const toml::table& table, const std::string& up) {
    const std::size_t i = segment(key);
    const std::string name(key.str()), owner = "`" + name + "`";
    check_keys(table, {"joint", "wxyz", "next", "next_wxyz", "origin_m"}, owner);
    rig::Offset offset;
    const std::string on = joint(needed(table, "joint", owner), "joint");
    offset.R_JS = rotation(needed(table, "wxyz", owner), "wxyz");
    if (const toml::node* origin = table.get("origin_m")) offset.p_JS = vector<3>(*origin, "origin_m", 10.0);
    std::string next;
    if (table.get("next") != nullptr || table.get("next_wxyz") != nullptr) {
      next = joint(needed(table, "next", owner), "next");
      offset.R_NS = rotation(needed(table, "next_wxyz", owner), "next_wxyz");
    }
    const std::string& joint = options_.rig.joint[i];
    const std::string why = joint.empty()                  ? "the map has no line for it"
                            : joint != on                  ? "the map now names '" + joint + "'"
                            : next != options_.rig.next[i] ? "the map now spreads it differently"
                            : up != options_.rig.up        ? "the map now has another `up`"
                                                           : "";
    if (!why.empty()) {
      notes_.push_back(
          fmt::format("{}:{}: the frame of {} was found on joint '{}', but {}; it is found again", path(),
                      key.source().begin.line, name, on, why));
      return;
    }
    offset.valid = true;
    offset.confidence = 1.0;
    offset.reason = "from the rig map";
    options_.offsets[i] = offset;
  }

  std::vector<std::string>& notes_;
  RecordingHints options_;
};

// --- writing

class Writer {
 public:
  Writer(const rig::Rig& rig, const std::vector<std::string>& joints) : rig_(rig), joints_(joints) {}

  std::string write(std::string_view source) {
    const rig::Map& map = rig_.map;
    out_ = fmt::format(
        "# Maps joints to segments of the human; found from {}.\n"
        "# Edit it and use it: panto track FILE --rig THIS\n"
        "version = 1\nfamily = {}\nunit_m = {}\nup = \"{}\"\n"
        "complete = true  # false: segments without a line are found from the recording\n",
        toml_comment(source), toml_string(toml_comment(map.family)).value_or("\"unknown\""),
        toml_number(map.unit), up());
    write_person();
    for (const rig::Decision& decision : map.decisions) {
      out_ += toml_comment(fmt::format("# {}: {} ({:.2f}), {}", decision.what, decision.answer,
                                       decision.confidence, decision.reason)) +
              "\n";
    }
    out_ += "\n[segments]\n";
    for (int i = 0; i < kHumanSegmentCount; ++i) write_segment(at(i));
    if (!map.unmapped.empty()) {
      out_ += "# joints without a segment:";
      for (const int joint : map.unmapped) out_ += " " + toml_comment(name(joint));
      out_ += '\n';
    }
    out_ += fmt::format(
        "\n# Frames of the segments in their joints; if you edit a joint above, its frame is found again.\n"
        "[offsets_wxyz]\nup = \"{}\"\n",
        up());
    for (int i = 0; i < kHumanSegmentCount; ++i) write_offset(at(i));
    return std::move(out_);
  }

 private:
  const std::string& name(int joint) const {
    if (joint < 0 || at(joint) >= joints_.size())
      throw ConfigError(
          fmt::format("rig map: no name for joint {} of a skeleton with {} names", joint, joints_.size()));
    return joints_[at(joint)];
  }

  std::string quoted_name(int joint) const {
    if (auto text = toml_string(name(joint))) return std::move(*text);
    throw FormatError("joint '" + toml_comment(name(joint)) +
                      "': its name is not UTF-8, as a rig map requires; save the recording as UTF-8");
  }

  // returns the file's axis along the world's z
  std::string up() const {
    Eigen::Index axis = 0;
    const Eigen::Vector3d row = rig_.map.R_WF.row(2).transpose();
    row.cwiseAbs().maxCoeff(&axis);
    return fmt::format("{}{}", row[axis] < 0.0 ? "-" : "", "xyz"[axis]);
  }

  // Of several people, the one whose joints these are. A name that a map cannot hold is left out: the joints
  // tell the person too.
  void write_person() {
    for (const rig::Decision& decision : rig_.map.decisions) {
      const std::optional<std::string> name = toml_string(decision.answer);
      if (decision.what == "person" && !decision.answer.empty() && name) out_ += "person = " + *name + "\n";
    }
  }

  void write_segment(std::size_t i) {
    const rig::MapEntry& entry = rig_.map.segments[i];
    if (entry.joint < 0) {
      out_ += toml_comment(fmt::format("# {}: not measured{}{}", kHumanSegmentNames[i],
                                       entry.reason.empty() ? "" : "; ", entry.reason)) +
              "\n";
      return;
    }
    std::string value = quoted_name(entry.joint);
    if (entry.next >= 0)
      value = fmt::format("{{ from = {}, to = {}, share = {} }}", value, quoted_name(entry.next),
                          toml_number(entry.share));
    out_ += fmt::format("{:<13} = {:<20}  # {:.2f}  {}\n", kHumanSegmentNames[i], value, entry.confidence,
                        toml_comment(entry.reason));
  }

  void write_offset(std::size_t i) {
    const rig::Offset& offset = rig_.offsets[i];
    const rig::MapEntry& entry = rig_.map.segments[i];
    if (!offset.valid || entry.joint < 0) return;
    std::string value =
        fmt::format("joint = {}, wxyz = {}", quoted_name(entry.joint), toml_wxyz(offset.R_JS));
    if (entry.next >= 0)
      value += fmt::format(", next = {}, next_wxyz = {}", quoted_name(entry.next), toml_wxyz(offset.R_NS));
    if (!offset.p_JS.isZero(0.0)) value += ", origin_m = " + toml_numbers(offset.p_JS);
    out_ += fmt::format("{:<13} = {{ {} }}  # {:.2f}  {}\n", kHumanSegmentNames[i], value, offset.confidence,
                        toml_comment(offset.reason));
  }

  const rig::Rig& rig_;
  const std::vector<std::string>& joints_;
  std::string out_;
};

}  // namespace

std::string write_rig_map(const rig::Rig& rig, const std::vector<std::string>& joints,
                          std::string_view source) {
  return Writer(rig, joints).write(source);
}

RecordingHints read_rig_map(std::string_view text, const std::string& name, std::vector<std::string>& notes) {
  return Reader(name, notes).read(text);
}

RecordingHints read_rig_map(const std::string& path, std::vector<std::string>& notes) {
  return read_rig_map(read_text_file(path, kLargestFile), path, notes);
}

int line_of_joint(const std::string& path, const std::string& joint) {
  const std::string text = read_text_file(path, kLargestFile);
  const std::string quoted = toml_string(joint).value_or("\"" + joint + "\"");
  const std::size_t found = std::min(text.find(quoted), text.find("'" + joint + "'"));
  if (found == std::string::npos) return 0;
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found), '\n'));
}

}  // namespace panto::io
