// Archives as they come: every member that is an array can be asked for every element.

#include "panto/io/npz_archive.hpp"

#include "panto/io/npy_array.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_archive(Bytes bytes) {
  const io::NpzArchive archive(text_of(bytes), "damaged.npz");
  for (std::size_t member = 0; member < archive.members().size() && member < 20; ++member) {
    const io::NpyArray array = archive.array(member);
    promise(array.content.size() <= array.data + array.count * array.item, "nothing follows the elements");
    for (std::size_t i = 0; i < array.count; i += 1 + array.count / 100) {
      if (array.is_number()) (void)array.number(i);
      if (array.is_text())
        promise(array.text(i).size() <= 4 * array.item, "a text is bounded by its element");
    }
  }
}

Seeds seeds_of_archives() {
  return {person_file("a.npz", 3), io::pack_npz({{"fps.npy", io::npy(std::vector<double>{50.0}, "")},
                                                 {"n.npy", io::npy(std::vector<std::int64_t>{1, 2}, "2,")}})};
}

const Registered archive_target("npz", check_archive, seeds_of_archives);

}  // namespace
}  // namespace panto::fuzz
