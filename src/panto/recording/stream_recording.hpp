#pragma once
// A live run that was recorded: what came, what of it was solved, and what became of it.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/model/state.hpp"

namespace panto {

/// What a recording says of itself.
struct StreamRecordingInfo {
  std::string scheme;                        ///< of the protocol, "mvn"
  std::string address;                       ///< where it arrived
  Time begun = 0;                            ///< date of local time 0 [ns since 1970]
  std::map<std::string, std::string> words;  ///< what followed the stream, and how
};

/// The recording of a run.
struct StreamRecording {
  StreamRecordingInfo info;
  struct Datagram {
    Time arrival = 0;          ///< [ns since 1970]
    std::uint64_t sender = 0;  ///< a number for it; 0 where the protocol has one sender
    std::string bytes;
  };
  std::vector<Datagram> datagrams;
  /// A sample: its stamp [ns], and when it arrived [ns since 1970].
  struct Sample {
    Time t = 0, date = 0;
  };
  std::vector<Sample> solved;   ///< in order
  std::vector<Sample> aligned;  ///< those with which the run was re-aligned
  struct Calibrated {
    Sample from;
    std::string poses;  ///< that were waited for from this sample on
  };
  std::vector<Calibrated> calibrated;  ///< in order
  std::vector<State> states;           ///< that were written
  struct Mark {
    Time date = 0;     ///< [ns since 1970]
    std::string text;  ///< "mark 1: knee"
  };
  std::vector<Mark> marks;           ///< that somebody set
  std::vector<std::string> damages;  ///< a sentence each: what is lost, and where
  bool complete = false;             ///< false: the run was killed
  std::string sensors;  ///< of a `late` one: a sensors file with the mounts that were found before; or empty

  /// Returns whether it began in the middle of its run. Decoders that did not see the run's beginning may
  /// stamp samples otherwise than they did: samples are known by their arrival then.
  [[nodiscard]] bool late() const { return info.words.count("begun") > 0; }
  /// Returns whether a decoded sample is one that was kept.
  [[nodiscard]] bool same(const Sample& kept, Time t, Time arrival) const {
    return late() ? kept.date == arrival : kept.t == t;
  }
  [[nodiscard]] bool before(const Sample& kept, Time t, Time arrival) const {
    return late() ? kept.date < arrival : kept.t < t;
  }
  /// Returns the date at which it began: of a late one that of the first solved sample.
  [[nodiscard]] Time first() const;
};

/// Returns a sentence for each mark: its text, and how long after the first datagram it was set.
[[nodiscard]] std::vector<std::string> marks_of(const StreamRecording& recording);

}  // namespace panto
