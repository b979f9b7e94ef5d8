// Writes the text of a BVH clip.

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "panto/io/append.hpp"
#include "panto/io/bvh.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

void append_offset(std::string& text, const std::string& indent, const Vector3d& offset) {
  append(text, "{}OFFSET {} {} {}\n", indent, offset.x(), offset.y(), offset.z());
}

// deep chains must not make the text quadratic
std::string indentation(std::size_t depth) { return std::string(std::min<std::size_t>(depth, 40), '\t'); }

// a name ends where the braces of its joint begin
std::string written_name(std::string name) {
  for (char& c : name)
    if (c == '{' || c == '}') c = '_';
  return name;
}

void append_hierarchy(std::string& text, const std::vector<BvhJoint>& joints) {
  std::vector<int> open;
  const auto close_one = [&] {
    open.pop_back();
    append(text, "{}}}\n", indentation(open.size()));
  };
  append(text, "HIERARCHY\n");
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const BvhJoint& joint = joints[i];
    while (!open.empty() && open.back() != joint.parent) close_one();
    const std::string outer = indentation(open.size()), inner = indentation(open.size() + 1);
    append(text, "{}{} {}\n{}{{\n", outer, joint.parent < 0 ? "ROOT" : "JOINT", written_name(joint.name),
           outer);
    append_offset(text, inner, joint.offset);
    append(text, "{}CHANNELS {}", inner, joint.channels.size());
    for (const BvhChannel channel : joint.channels) append(text, " {}", to_string(channel));
    append(text, "\n");
    for (const Vector3d& end : joint.end_sites) {
      append(text, "{}End Site\n{}{{\n", inner, inner);
      append_offset(text, indentation(open.size() + 2), end);
      append(text, "{}}}\n", inner);
    }
    open.push_back(static_cast<int>(i));
  }
  while (!open.empty()) close_one();
}

}  // namespace

std::string write_bvh_hierarchy(const std::vector<BvhJoint>& joints) {
  std::string text;
  append_hierarchy(text, joints);
  return text;
}

std::string write_bvh(const BvhClip& clip) {
  std::string text;
  append_hierarchy(text, clip.joints);
  append(text, "MOTION\nFrames: {}\nFrame Time: {}\n", clip.frame_count, clip.frame_time);
  for (std::int64_t i = 0; i < clip.frame_count; ++i) {
    const auto frame = clip.frame(i);
    for (std::size_t k = 0; k < frame.size(); ++k) append(text, "{}{}", k == 0 ? "" : " ", frame[k]);
    text += '\n';
  }
  return text;
}

}  // namespace panto::io
