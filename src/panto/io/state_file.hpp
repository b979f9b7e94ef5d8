#pragma once
// Files of States, format by format.

#include <memory>
#include <string>
#include <vector>

#include "panto/io/write_motion.hpp"

namespace panto::io {

/// What a written motion moves.
enum class Mover : unsigned char { Human, Robot, Character };

/// Returns which of both is given; a human without either.
[[nodiscard]] inline Mover mover_of(const std::string& robot, const std::string& character) {
  return !robot.empty() ? Mover::Robot : character.empty() ? Mover::Human : Mover::Character;
}

/// Checks a name before any work. @throws ConfigError unless `create_state_file` knows the extension for such
/// a mover; the message lists those that it knows.
void check_state_name(const std::string& path, Mover mover = Mover::Human);
/// Refuses ISB angles where no output holds them. @throws ConfigError.
void check_angles(const std::vector<std::string>& outputs, AngleConvention angles);
[[nodiscard]] std::unique_ptr<StateFile> create_csv(const Destination& to, const Model& model,
                                                    const StateFileOptions& options);
/// `extension` ".mot" or ".sto".
[[nodiscard]] std::unique_ptr<StateFile> create_opensim(const Destination& to, const Model& model,
                                                        const StateFileOptions& options);
/// docs/formats/npz.md, States. Kept in memory until `close()`.
[[nodiscard]] std::unique_ptr<StateFile> create_npz_states(const Destination& to, const Model& model,
                                                           const StateFileOptions& options);
[[nodiscard]] std::unique_ptr<StateFile> create_bvh(const Destination& to, const Model& model,
                                                    const StateFileOptions& options);
[[nodiscard]] std::unique_ptr<StateFile> create_mvnx(const Destination& to, const Model& model,
                                                     const StateFileOptions& options);

}  // namespace panto::io
