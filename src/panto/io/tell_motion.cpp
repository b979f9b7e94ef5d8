#include "panto/io/tell_motion.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/io/motion_rate.hpp"
#include "panto/io/motion_readings.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/motion/derivatives.hpp"

namespace panto::io {
namespace {

using Q = MotionQuestion;

// Sums of witnesses (0: none speaks against a reading). What departs from the layout has to explain a file
// better by one witness's clear word; two readings within half of that are about as good.
constexpr double kDeparture = 0.1, kOpenMargin = 0.1, kDepartureOpen = 0.2, kSureMargin = 0.5;
constexpr double kSameMotion = 1e-3;      // [rad], [m]: readings that do not differ need no answer
constexpr double kUnitQuaternion = 1e-2;  // files round to few digits

constexpr std::array<const char*, kMotionQuestions> kWhat{"robot",  "joint order", "body order", "turns",
                                                          "angles", "lengths",     "up axis",    "rate"};
constexpr std::array<MotionQuestion, 6> kAsked{Q::JointOrder, Q::BodyOrder, Q::Turn,
                                               Q::Angles,     Q::Length,    Q::Up};

std::size_t number(MotionQuestion question) { return static_cast<std::size_t>(question); }

struct Weighed {
  std::size_t robot = 0;
  Reading reading{};
  Witnesses witnesses;
  double cost = 0.0;
};

// The same columns and members mean either of two layouts: neither departs from the other.
bool either_order(const RobotArrays& arrays, const MotionReadings& readings) {
  return (arrays.layout == "beyondmimic" || arrays.layout == "mjlab") && !readings.names_joints();
}

int departures(const RobotArrays& arrays, const MotionReadings& readings, const Reading& reading) {
  int count = 0;
  for (const MotionQuestion question : kAsked) count += reading[number(question)] != 0 ? 1 : 0;
  if (either_order(arrays, readings) && reading[number(Q::JointOrder)] != 0)
    count -= reading[number(Q::BodyOrder)] != 0 ? 2 : 0;
  if (arrays.layout == "unitree" && reading[number(Q::Turn)] != 0) --count;
  return count;
}

// every reading of every robot
std::vector<Weighed> weigh_all(const RobotArrays& arrays, std::vector<MotionReadings>& robots) {
  std::vector<Weighed> all;
  for (std::size_t r = 0; r < robots.size(); ++r) {
    Reading reading{};
    for (bool more = true; more;) {
      Weighed one{r, reading, robots[r].weigh(reading), 0.0};
      one.cost = one.witnesses.total() + kDeparture * departures(arrays, robots[r], reading);
      all.push_back(one);
      more = false;
      for (const MotionQuestion question : kAsked) {
        std::size_t& answer = reading[number(question)];
        if (++answer < robots[r].answers(question)) {
          more = true;
          break;
        }
        answer = 0;
      }
    }
  }
  return all;
}

// the best reading with another answer that is another motion; null: none
const Weighed* rival(const std::vector<Weighed>& all, const Weighed& best, MotionQuestion question,
                     std::vector<MotionReadings>& robots) {
  std::vector<const Weighed*> others;
  for (const Weighed& one : all) {
    const bool other = question == Q::Robot ? one.robot != best.robot
                                            : one.robot == best.robot && one.reading[number(question)] !=
                                                                             best.reading[number(question)];
    if (other) others.push_back(&one);
  }
  std::sort(others.begin(), others.end(),
            [](const Weighed* a, const Weighed* b) { return a->cost < b->cost; });
  for (const Weighed* one : others) {
    if (question == Q::Robot || question == Q::BodyOrder) return one;
    if (robots[best.robot].difference(best.reading, one->reading) > kSameMotion) return one;
  }
  return nullptr;
}

// the witness that tells the two apart most, in both figures
std::string told_by(const Witnesses& best, const Witnesses& other) {
  std::size_t most = 0;
  for (std::size_t i = 1; i < Witnesses::Count; ++i)
    if (other.against[i] - best.against[i] > other.against[most] - best.against[most]) most = i;
  const auto witness = static_cast<Witnesses::Index>(most);
  return figure_of(best, witness) + "; otherwise " + figure_of(other, witness);
}

class Teller {
 public:
  Teller(const RobotArrays& arrays, const std::vector<MotionRobot>& robots, const MotionHints& hints)
      : arrays_(arrays), hints_(hints) {
    std::string refusal;
    for (std::size_t i = 0; i < robots.size(); ++i) {
      try {
        readings_.emplace_back(arrays, robots[i], hints);
        candidate_.push_back(i);
      } catch (const FormatError& error) {
        refusal = error.what();
      }
    }
    if (readings_.empty()) throw FormatError(refusal);
    keep_named();
    all_ = weigh_all(arrays, readings_);
    best_ = &*std::min_element(all_.begin(), all_.end(),
                               [](const Weighed& a, const Weighed& b) { return a.cost < b.cost; });
  }

  [[nodiscard]] std::size_t robot_index() const { return candidate_[best_->robot]; }

  ToldMotion tell() {
    told_.robot = robot_index();
    told_.layout = layout();
    told_.notes.insert(told_.notes.begin(), arrays_.notes.begin(), arrays_.notes.end());
    tell_robot();
    for (const MotionQuestion question : kAsked) tell(question);
    tell_rate();
    if (!robot().wrong_names().empty())
      told_.notes.push_back("warning: " + arrays_.name + ": " + robot().wrong_names() +
                            "; its names of joints are not used");
    read();
    return std::move(told_);
  }

  // Says where `free`, the same robot without the user's words, explains the file much better.
  void compare(Teller& free) {
    const Witnesses &mine = best_->witnesses, &other = free.best_->witnesses;
    if (mine.total() - other.total() < kSureMargin) return;
    std::string better;
    for (const MotionQuestion question : kAsked) {
      if (question == Q::BodyOrder && !robot().reads_bodies()) continue;
      const std::string value = free.robot().words(question, free.answer(question));
      if (value != robot().words(question, answer(question)))
        better += (better.empty() ? "" : ", ") + std::string(kWhat[number(question)]) + ": " + value;
    }
    if (better.empty()) return;
    told_.notes.push_back("warning: " + arrays_.name + ": --from contradicts what the file shows (" +
                          told_by(other, mine) + "): without it " + better);
  }

 private:
  // joints that the file names are those of a robot, if there is one
  void keep_named() {
    if (std::none_of(readings_.begin(), readings_.end(), [](const auto& r) { return r.names_joints(); }))
      return;
    for (std::size_t i = readings_.size(); i-- > 0;) {
      if (readings_[i].names_joints()) continue;
      readings_.erase(readings_.begin() + static_cast<std::ptrdiff_t>(i));
      candidate_.erase(candidate_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  [[nodiscard]] MotionReadings& robot() { return readings_[best_->robot]; }
  [[nodiscard]] std::size_t answer(MotionQuestion question) const { return best_->reading[number(question)]; }

  std::string layout() {
    if (arrays_.layout == "unitree") return robot().xyzw(answer(Q::Turn)) ? "unitree" : "kimodo";
    if (either_order(arrays_, robot()))  // by the bodies, which kinematics check
      return (answer(Q::BodyOrder) == 0) == (arrays_.layout == "beyondmimic") ? "beyondmimic" : "mjlab";
    return arrays_.layout;
  }

  ToldFact& add(MotionQuestion question, std::string value, std::string reason, Certainty certainty) {
    told_.facts.push_back(
        {question, kWhat[number(question)], std::move(value), std::move(reason), certainty, false});
    return told_.facts.back();
  }

  void tell_robot() {
    const std::string& name = robot().robot().name;
    const Weighed* other = rival(all_, *best_, Q::Robot, readings_);
    if (other == nullptr) {
      const bool named = robot().names_joints();
      add(Q::Robot, name,
          named ? "it has the joints that the file names"
                : "it has " + counted(static_cast<std::int64_t>(arrays_.joints.width), "joint") +
                      ", as many as the file",
          named                   ? Certainty::Sure
          : !hints_.robot.empty() ? Certainty::Given
                                  : Certainty::Likely);
      return;
    }
    const double margin = other->cost - best_->cost;
    const std::string& second = readings_[other->robot].robot().name;
    if (margin < kOpenMargin)
      return open(Q::Robot, name, second, told_by(best_->witnesses, other->witnesses),
                  "--robot " + name + " or --robot " + second);
    add(Q::Robot, name, "not " + second + ": " + told_by(best_->witnesses, other->witnesses),
        margin < kSureMargin ? Certainty::Likely : Certainty::Sure);
  }

  void open(MotionQuestion question, const std::string& value, const std::string& other,
            const std::string& why, const std::string& options) {
    add(question, value + " or " + other, why, Certainty::Open);
    told_.open = true;
    told_.notes.push_back(arrays_.name + ": " + kWhat[number(question)] + ": " + value + " and " + other +
                          " explain the file about as well (" + why + "); say which: " + options);
  }

  [[nodiscard]] bool departs(MotionQuestion question) {
    if (answer(question) == 0) return false;
    if (question == Q::Turn && arrays_.layout == "unitree") return false;
    if (question == Q::JointOrder || question == Q::BodyOrder)
      return !(either_order(arrays_, robot()) && (answer(Q::JointOrder) != 0) == (answer(Q::BodyOrder) != 0));
    return true;
  }

  void tell(MotionQuestion question) {
    if (question == Q::BodyOrder && !robot().reads_bodies()) return;
    const std::string value = robot().words(question, answer(question));
    if (robot().answers(question) == 1) {
      add(question, value,
          said(question)     ? "as --from says"
          : arrays_.is_own() ? "as Panto writes it"
                             : "the only way",
          Certainty::Given);
      return;
    }
    const Weighed* other = rival(all_, *best_, question, readings_);
    if (other == nullptr) {
      add(question, value, "makes no difference for this motion", Certainty::Given);
      return;
    }
    const double margin = other->cost - best_->cost;
    const std::string second = robot().words(question, other->reading[number(question)]);
    const std::string why = told_by(best_->witnesses, other->witnesses);
    const bool leaves = departs(question);
    if (margin < (leaves ? kDepartureOpen : kOpenMargin)) {
      const std::string first = robot().hint(question, answer(question));
      const std::string word = robot().hint(question, other->reading[number(question)]);
      return open(question, value, second, why, "--from " + first + " or --from " + word);
    }
    add(question, value, why, margin < kSureMargin ? Certainty::Likely : Certainty::Sure).departs = leaves;
    if (!leaves) return;
    told_.notes.push_back("warning: " + arrays_.name + ": " + kWhat[number(question)] + ": " + value +
                          ", not " + robot().words(question, 0) + " as the layout " + told_.layout +
                          " has it: " + why + "; it is read as " + value);
  }

  [[nodiscard]] bool said(MotionQuestion question) const {
    switch (question) {
      case Q::JointOrder:
        return hints_.breadth_first.has_value();
      case Q::Turn:
        return hints_.xyzw.has_value();
      case Q::Angles:
        return hints_.degrees.has_value();
      case Q::Length:
        return hints_.length.has_value();
      case Q::Up:
        return hints_.y_up.has_value();
      default:
        return false;
    }
  }

  void tell_rate() {
    const ToldRate rate = rate_of(arrays_, robot(), best_->reading, hints_.rate_hz);
    told_.motion.rate_hz = rate.rate_hz;
    add(Q::Rate, digits(rate.rate_hz, 6) + " Hz", rate.reason, rate.certainty).departs = rate.departs;
    const std::string place = arrays_.name + ": rate: ";
    if (rate.departs)
      told_.notes.push_back("warning: " + place + digits(rate.rate_hz, 6) + " Hz: " + rate.reason +
                            "; read at this rate");
    if (!rate.doubt.empty())
      told_.notes.push_back("warning: " + arrays_.name + ": " + rate.doubt + "; they are not used");
    if (rate.certainty == Certainty::Open) {
      told_.open = true;
      told_.notes.push_back(place + rate.reason + "; say it: --from 50hz");
    }
  }

  void check_turns(const FrameRows& turns, const char* what) const {
    if (turns.empty() || turns.width % 4 != 0) return;
    for (std::size_t k = 0; k < arrays_.frames; ++k)
      for (std::size_t i = 0; i < turns.width; i += 4) {
        const double norm = Eigen::Map<const Eigen::Vector4d>(turns.row(k) + i).norm();
        if (!(std::abs(norm - 1.0) <= kUnitQuaternion))
          throw FormatError(arrays_.name + ": frame " + std::to_string(k) + ": the quaternion of " + what +
                            " has length " + digits(norm, 4) + ", not 1");
      }
  }

  void read() {
    if (arrays_.turn.width == 4) check_turns(arrays_.turn, "the base");
    if (arrays_.turn.empty()) check_turns(arrays_.body_turns, "a body");
    const Model& model = *robot().robot().model;
    told_.motion.model_name = model.name();
    told_.motion.joint_names = model.joint_names();
    for (std::size_t k = 0; k < arrays_.frames; ++k) {
      State& state = told_.motion.states.emplace_back(rest_state(model));
      state.t = frame_time(static_cast<std::int64_t>(k), told_.motion.rate_hz);
      robot().read(best_->reading, k, state);
    }
    derive_velocities(told_.motion);
    for (LinkContacts foot : arrays_.contacts) {
      if (!model.find_link(foot.link)) {
        told_.notes.push_back("warning: " + arrays_.name + ": contacts of '" + printable(foot.link) +
                              "' are not used: the robot has no such link");
        continue;
      }
      if (hints_.y_up || hints_.length) foot.anchor.clear();  // which the file has in its own world
      told_.motion.contacts.push_back(std::move(foot));
    }
  }

  const RobotArrays& arrays_;
  const MotionHints& hints_;
  std::vector<MotionReadings> readings_;
  std::vector<std::size_t> candidate_;
  std::vector<Weighed> all_;
  const Weighed* best_ = nullptr;
  ToldMotion told_;
};

bool is_robot(std::string_view word) {
  const std::vector<std::string>& shipped = shipped_robots();
  return std::find(shipped.begin(), shipped.end(), unaliased(word)) != shipped.end();
}

void take_layout(const RobotLayout& layout, MotionHints& hints) {
  hints.layout = layout.name;
  hints.breadth_first = layout.breadth_first;
  hints.xyzw = layout.xyzw;
  hints.degrees = layout.centimetres_degrees;
  hints.length = layout.centimetres_degrees ? 0.01 : 1.0;
  hints.y_up = false;
}

}  // namespace

const char* to_string(Certainty certainty) noexcept {
  constexpr std::array<const char*, 5> kWords{"given", "sure", "likely", "assumed", "open"};
  return kWords[static_cast<std::size_t>(certainty)];
}

MotionHints parse_motion_hints(std::string_view words) {
  MotionHints hints;
  if (words.empty()) return hints;
  std::map<std::string_view, std::string_view> said;  // by kind of word
  const auto once = [&](std::string_view kind, std::string_view word) {
    if (const auto [first, added] = said.emplace(kind, word); !added)
      throw ConfigError("--from gives its " + std::string(kind) + " twice: '" + std::string(first->second) +
                        "' and '" + std::string(word) + "'; keep one");
  };
  for (const std::string_view word : split_cells(words)) {
    if (word == "isaac-order" || word == "mujoco-order") {
      once("joint order", word);
      hints.breadth_first = word == "isaac-order";
    } else if (word == "wxyz" || word == "xyzw") {
      once("quaternion order", word);
      hints.xyzw = word == "xyzw";
    } else if (word == "degrees" || word == "radians") {
      once("unit of angles", word);
      hints.degrees = word == "degrees";
    } else if (word == "m" || word == "cm" || word == "mm") {
      once("unit of lengths", word);
      hints.length = word == "m" ? 1.0 : word == "cm" ? 0.01 : 0.001;
    } else if (word == "y-up" || word == "z-up") {
      once("up axis", word);
      hints.y_up = word == "y-up";
    } else if (word.ends_with("hz")) {
      once("rate", word);
      const auto rate = parse_number(word.substr(0, word.size() - 2));
      if (!rate || !(*rate > 0.0 && *rate <= 10'000.0))
        throw ConfigError("--from " + std::string(word) + ": a rate is above 0 and at most 10000, as 50hz");
      hints.rate_hz = rate;
    } else if (is_model_file(std::string(word)) || is_robot(word)) {
      once("robot", word);
      hints.robot = word;
    } else {
      std::vector<std::string> known{"isaac-order", "mujoco-order", "wxyz", "xyzw", "degrees", "radians",
                                     "m",           "cm",           "mm",   "z-up", "y-up",    "50hz"};
      for (const RobotLayout& layout : robot_layouts()) {
        if (layout.name == word) once("layout", word), take_layout(layout, hints);
        known.emplace_back(layout.name);
      }
      if (hints.layout != word) throw ConfigError(unknown_name("word", word, "--from", known));
    }
  }
  return hints;
}

ToldMotion tell_motion(const RobotArrays& arrays, const std::vector<MotionRobot>& robots,
                       const MotionHints& hints) {
  Teller teller(arrays, robots, hints);
  if (hints.says_how()) {
    MotionHints free;
    free.rate_hz = hints.rate_hz;
    const std::vector<MotionRobot> same{robots[teller.robot_index()]};
    Teller without(arrays, same, free);
    teller.compare(without);
  }
  return teller.tell();
}

}  // namespace panto::io
