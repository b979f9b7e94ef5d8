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
  std::vector<Time> solved;   ///< stamps of the solved samples, in order
  std::vector<Time> aligned;  ///< stamps of those with which the run was re-aligned
  struct Calibrated {
    Time t = 0;         ///< stamp of the sample
    std::string poses;  ///< that were waited for from it on
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
};

/// Returns a sentence for each mark: its text, and how long after the first datagram it was set.
[[nodiscard]] std::vector<std::string> marks_of(const StreamRecording& recording);

}  // namespace panto
