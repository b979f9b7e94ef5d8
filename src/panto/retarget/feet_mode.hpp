#pragma once

namespace panto {

/// Chooses what a robot's feet follow.
enum class FeetMode : unsigned char {
  Off,    ///< orientations of the person's feet only
  Soft,   ///< their positions too
  Plant,  ///< and feet in stance do not slide
};

}  // namespace panto
