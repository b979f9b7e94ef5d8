#pragma once
// What a live run consists of besides its source: what follows the stream, and where that goes.

#include <string>
#include <vector>

#include "panto/bridge/following.hpp"
#include "panto/bridge/run_outputs.hpp"

namespace panto::bridge {

template <typename Sample>
struct LiveParts {
  /// `to`: outputs as `check_run_outputs` accepts them. `decoder`: of the stream, after its first samples;
  /// `rate`: of the stream [Hz]. `arming` must outlive it. @throws Error for what cannot be opened.
  LiveParts(const FollowingOptions& options, const std::vector<std::string>& to,
            const stream::SampleStream<Sample>& decoder, double rate, const live::Arming& arming)
      : following(open_following(options, decoder.person())),
        follower(follower_of(options, following, decoder)),
        names(following.person_names(decoder)),
        outputs(to, following.model ? &*following.model : nullptr, {names, rate, following.person}, arming,
                following.urdf) {}

  const Following following;
  LiveFollower<Sample> follower;
  const std::vector<std::string> names;  ///< of the segments that outputs of persons get
  RunOutputs outputs;
};

}  // namespace panto::bridge
