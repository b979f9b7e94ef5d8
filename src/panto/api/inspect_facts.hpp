#pragma once
// What only files tell: the skeleton of a BVH, the header of an MVNX, the columns of a table.

#include "panto/api/inspect.hpp"

namespace panto::io {
struct BvhClip;
struct MvnxHeader;
struct OpenSimTable;
}  // namespace panto::io

namespace panto {

/// Tells what a BVH's skeleton is, whoever's.
[[nodiscard]] SkeletonFacts skeleton_facts(const io::BvhClip& clip);
/// Tells what an MVNX's header says.
[[nodiscard]] MvnxFacts mvnx_facts(const io::MvnxHeader& header);
/// Tells what a table holds.
[[nodiscard]] TableFacts table_facts(const io::OpenSimTable& table);

}  // namespace panto
