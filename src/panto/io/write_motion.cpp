#include "panto/io/write_motion.hpp"

#include <memory>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/robot_layout.hpp"

namespace panto::io {

std::size_t write_motion(const Motion& motion, const Model& model, const Destination& to,
                         const WriteMotionOptions& options) {
  const std::size_t frames = motion.states.size(), deviations = options.deviation.size();
  if (deviations != 0 && deviations != frames)
    throw ConfigError(counted(static_cast<std::int64_t>(deviations), "row") + " of standard deviations for " +
                      counted(static_cast<std::int64_t>(frames), "frame"));
  for (const LinkContacts& foot : motion.contacts)
    if (foot.heel.size() != frames || foot.ball.size() != frames ||
        (!foot.anchor.empty() && foot.anchor.size() != frames))
      throw ConfigError("contacts of '" + foot.link + "': not one for each of the " +
                        counted(static_cast<std::int64_t>(frames), "frame"));
  StateFileOptions file_options{options.rate_hz > 0.0 ? options.rate_hz : motion.rate_hz, options.angles};
  file_options.disturb = options.disturb;
  file_options.deviations = deviations != 0;
  file_options.isb_arms = options.isb_arms;
  file_options.layout = options.layout;
  file_options.resample_hz = options.resample_hz;
  file_options.character = options.character;
  const std::unique_ptr<StateFile> file = create_state_file(to, model, file_options);
  file->set_contacts(motion.contacts);
  std::size_t dropped = 0;
  for (std::size_t k = 0; k < frames; ++k) {
    const State& state = motion.states[k];
    const WriteStatus status =
        deviations != 0 ? file->write_with(state, options.deviation[k]) : file->write(state);
    if (status != WriteStatus::Written) ++dropped;
  }
  file->close();
  return dropped;
}

std::vector<std::string> layout_names() {
  std::vector<std::string> names;
  for (const RobotLayout& layout : robot_layouts()) names.emplace_back(layout.name);
  return names;
}

std::string layout_extension(const std::string& layout) {
  return std::string(robot_layout(layout).extension);
}

std::string motion_bytes(const Motion& motion, const Model& model, const std::string& name,
                         const WriteMotionOptions& options) {
  std::string bytes;
  const std::size_t dropped = write_motion(motion, model, Destination(name, bytes), options);
  if (dropped > 0)
    throw Error(name + ": " + counted(static_cast<std::int64_t>(dropped), "frame") + " could not be written");
  return bytes;
}

}  // namespace panto::io
