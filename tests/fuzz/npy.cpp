// One array: its shape fits its bytes, and every element can be read.

#include "panto/io/npy_array.hpp"

#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_array(Bytes bytes) {
  (void)io::npy_shape(text_of(bytes));
  const io::NpyArray array = io::read_npy(std::string(text_of(bytes)), "damaged.npy");
  std::size_t count = 1;
  for (const std::size_t size : array.shape) count *= size;
  promise(count == array.count, "the count is that of the shape");
  promise(array.count == 0 || array.data + array.count * array.item <= bytes.size(), "elements are there");
  for (std::size_t i = 0; i < array.count; i += 1 + array.count / 100) {
    if (array.is_number()) (void)array.number(i);
    if (array.is_text()) (void)array.text(i);
  }
}

Seeds seeds_of_arrays() {
  return {io::npy(std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, "2, 3"),
          io::npy(std::vector<float>{1.0F}, ""), io::npy(std::vector<std::string>{"hip", "knee"}, "2,"),
          io::npy(std::vector<std::int64_t>{7}, "1,"), io::npy(std::vector<unsigned char>{1, 0}, "2,")};
}

const Registered array_target("npy", check_array, seeds_of_arrays);

}  // namespace
}  // namespace panto::fuzz
