// Chains of Denavit-Hartenberg parameters.

#include "panto/io/chain_file.hpp"
#include "tests/fuzz/models.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_chain(Bytes bytes) { check_model(dh_model(io::read_dh_chain(text_of(bytes), "damaged.toml"))); }

Seeds seeds_of_chains() { return {project_file("../models/chains/right_arm.toml")}; }

const Registered chain_target("dh_chain", check_chain, seeds_of_chains);

}  // namespace
}  // namespace panto::fuzz
