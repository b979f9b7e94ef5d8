#include "panto/model/measured_subject.hpp"

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kLongestSegment = 1.5;  // [m]

double body_height(const SubjectPoints& points) {
  const auto z = height_over_pelvis(points.origin);
  if (points.end[Head] && points.sole) return z[Head] + points.end[Head]->z() - *points.sole;

  const auto unit = height_over_pelvis(scaled_subject(1.0).origin);
  return (2.0 * z[Head] - z[RightFoot] - z[LeftFoot]) / (2.0 * unit[Head] - unit[RightFoot] - unit[LeftFoot]);
}

}  // namespace

std::string_view far_end_name(int segment) noexcept {
  switch (segment) {
    case Head:
      return "pTopOfHead";
    case RightHand:
      return "pRightTopOfHand";
    case LeftHand:
      return "pLeftTopOfHand";
    case RightToe:
      return "pRightToe";
    case LeftToe:
      return "pLeftToe";
    default:
      return {};
  }
}

std::array<double, kHumanSegmentCount> height_over_pelvis(const SubjectDimensions::Points& origin) noexcept {
  std::array<double, kHumanSegmentCount> z{};
  for (std::size_t i = 1; i < kHumanSegmentCount; ++i) z[i] = z[at(kHumanSegmentParent[i])] + origin[i].z();
  return z;
}

std::optional<SubjectDimensions> measured_subject(const SubjectPoints& points,
                                                  std::vector<std::string>& notes) {
  const auto refuse = [&notes](const std::string& why) {
    notes.push_back("no dimensions of the person: " + why);
    return std::nullopt;
  };
  SubjectDimensions subject;
  for (std::size_t i = 1; i < kHumanSegmentCount; ++i) {
    subject.origin[i] = points.origin[i];
    if (const double length = points.origin[i].norm(); !(length <= kLongestSegment)) {
      return refuse(std::string(kHumanSegmentNames[i]) + " lies " + digits(length, 3) + " m from " +
                    std::string(kHumanSegmentNames[at(kHumanSegmentParent[i])]));
    }
  }
  subject.height = body_height(points);
  if (!(subject.height >= 0.3 && subject.height <= 3.0)) {
    return refuse(digits(subject.height, 3) + " m is not a plausible height");
  }
  const SubjectDimensions average = scaled_subject(subject.height);
  for (const int segment : {Head, RightHand, LeftHand, RightToe, LeftToe}) {
    const auto& end = points.end[at(segment)];
    const bool sane = end && end->norm() <= kLongestSegment && end->norm() > 0.0;
    subject.end[at(segment)] = sane ? *end : average.end[at(segment)];
  }
  return subject;
}

}  // namespace panto
