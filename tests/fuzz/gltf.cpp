// glTF and VRM: a skeleton clip that holds together.

#include "panto/io/gltf.hpp"

#include <bit>

#include "panto/io/base64.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_gltf(Bytes bytes) {
  (void)io::is_gltf(text_of(bytes));
  const io::BvhClip clip = io::read_gltf(text_of(bytes), "damaged.glb");
  promise(clip.values.size() ==
              static_cast<std::size_t>(clip.frame_count) * static_cast<std::size_t>(clip.channel_count),
          "a number a channel and frame");
  for (const double value : clip.values) promise(std::isfinite(value), "numbers are finite");
  for (std::size_t i = 0; i < clip.joints.size(); ++i)
    promise(clip.joints[i].parent < static_cast<int>(i), "parents come first");
  SkeletonPose pose;
  if (clip.frame_count > 0) io::bvh_pose(clip, clip.frame_count - 1, pose);
}

void append_word(std::string& bytes, std::uint32_t word) {
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(word >> 8U * i & 0xffU);
}

// a hip, knee and tip; the hip turns by three keys
std::string keys() {
  std::string numbers;
  for (const float x :
       {0.0F, 0.5F, 1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.6F, 0.0F, 0.0F, 0.8F, 0.0F, 0.6F, 0.0F, 0.8F})
    append_word(numbers, std::bit_cast<std::uint32_t>(x));
  return numbers;
}

std::string skeleton_json(const std::string& buffer) {
  return R"({"asset":{"version":"2.0"},"nodes":[{"name":"hip","translation":[0,0.9,0],"children":[1]},
{"name":"knee","translation":[0,-0.45,0],"rotation":[0,0,0.6,0.8],"children":[2]},
{"name":"tip","translation":[0,-0.4,0],"scale":[1,1,1]}],"skins":[{"joints":[0,1,2]}],
"scenes":[{"nodes":[0]}],"scene":0,"buffers":[{"byteLength":60)" +
         buffer + R"(}],"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":12},
{"buffer":0,"byteOffset":12,"byteLength":48}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,
"type":"SCALAR"},{"bufferView":1,"componentType":5126,"count":3,"type":"VEC4"}],"animations":[{"samplers":[
{"input":0,"output":1,"interpolation":"LINEAR"}],"channels":[{"sampler":0,"target":{"node":0,
"path":"rotation"}}]}]})";
}

Seeds seeds_of_gltf() {
  const std::string numbers = keys();
  const std::string text =
      skeleton_json(",\"uri\":\"data:application/octet-stream;base64," + io::to_base64(numbers) + "\"");
  std::string json = skeleton_json("");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string binary = "glTF";
  append_word(binary, 2);
  append_word(binary, static_cast<std::uint32_t>(28 + json.size() + numbers.size()));
  append_word(binary, static_cast<std::uint32_t>(json.size()));
  (binary += "JSON") += json;
  append_word(binary, static_cast<std::uint32_t>(numbers.size()));
  (binary += std::string("BIN\0", 4)) += numbers;
  return {text, binary};
}

const Registered gltf_target("gltf", check_gltf, seeds_of_gltf);

}  // namespace
}  // namespace panto::fuzz
