#include "panto/motion/contacts.hpp"

#include <algorithm>

#include "panto/base/index.hpp"
#include "panto/math/directions.hpp"

namespace panto {
namespace {

// Returns the anchor at `instant`, in the stance of frame `nearest`.
std::optional<Anchor> anchor_at(const LinkContacts& foot, const std::vector<Time>& stamps, int nearest,
                                Time instant) {
  const std::optional<Anchor>& here = foot.anchor[at(nearest)];
  const int next = nearest + (instant > stamps[at(nearest)] ? 1 : -1);
  if (!here || instant == stamps[at(nearest)] || next < 0 || at(next) >= stamps.size() ||
      !foot.anchor[at(next)])
    return here;
  const Anchor& there = *foot.anchor[at(next)];
  const double share =
      to_seconds(instant - stamps[at(nearest)]) / to_seconds(stamps[at(next)] - stamps[at(nearest)]);
  return Anchor{here->p_WL + share * (there.p_WL - here->p_WL), part_of_turn(here->R_WL, there.R_WL, share)};
}

}  // namespace

std::vector<int> nearest_frames(const std::vector<Time>& stamps, const std::vector<Time>& instants) {
  std::vector<int> frames;
  for (const Time instant : instants) {
    const auto after = std::lower_bound(stamps.begin(), stamps.end(), instant);
    const auto k = static_cast<int>(after - stamps.begin());
    const bool before = after == stamps.end() || (k > 0 && instant - stamps[at(k - 1)] < *after - instant);
    frames.push_back(before ? k - 1 : k);
  }
  return frames;
}

std::vector<LinkContacts> contacts_between(const std::vector<LinkContacts>& contacts, int first, int last) {
  std::vector<LinkContacts> part;
  const auto cut = [&](const auto& all) {
    return all.empty() ? all : std::decay_t<decltype(all)>(all.begin() + first, all.begin() + last + 1);
  };
  for (const LinkContacts& foot : contacts)
    part.push_back({foot.link, cut(foot.heel), cut(foot.ball), cut(foot.anchor)});
  return part;
}

std::vector<LinkContacts> contacts_at(const std::vector<LinkContacts>& contacts,
                                      const std::vector<Time>& stamps, const std::vector<Time>& instants) {
  std::vector<LinkContacts> result;
  if (stamps.empty()) return result;
  const std::vector<int> frames = nearest_frames(stamps, instants);
  for (const LinkContacts& foot : contacts) {
    LinkContacts& now = result.emplace_back(LinkContacts{foot.link, {}, {}});
    for (std::size_t k = 0; k < frames.size(); ++k) {
      now.heel.push_back(foot.heel[at(frames[k])]);
      now.ball.push_back(foot.ball[at(frames[k])]);
      if (!foot.anchor.empty()) now.anchor.push_back(anchor_at(foot, stamps, frames[k], instants[k]));
    }
  }
  return result;
}

}  // namespace panto
