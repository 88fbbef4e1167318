// Whatever the bytes: `unpack` gives sections of distinct names that pack to the same bytes, or a refusal.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../thresher/store.hpp"

namespace store = thresher::store;

namespace {

void check(std::string_view file) {
    std::vector<store::Section> sections;
    try {
        sections = store::unpack(file);
    } catch (const store::Refusal&) {
        return;
    }
    std::vector<std::pair<std::string, std::uint64_t>> sizes;
    std::set<std::string> names;
    for (const auto& [name, bytes] : sections) {
        sizes.emplace_back(name, bytes.size());
        names.insert(name);
    }
    const std::vector<std::string> between = store::between(sizes);
    std::string again = between[0];
    for (std::size_t k = 0; k < sections.size(); ++k) again.append(sections[k].bytes).append(between[k + 1]);
    store::append(again, thresher::hash64(again));
    if (again != file || names.size() != sections.size()) std::abort();
}

template <class Word>
void put(std::vector<char>& file, std::size_t at, Word word) {
    std::string bytes;
    store::append(bytes, word);
    std::memcpy(file.data() + at, bytes.data(), bytes.size());
}

// Mutations hardly ever meet what the rest of a file determines. So it is put right here: first what the head says of
// the file, and the checksum.
void mend(std::vector<char>& file) {
    std::memcpy(file.data(), store::magic.data(), store::magic.size());
    put(file, 8, store::version);
    put<std::uint64_t>(file, 16, file.size());
    const std::size_t end = file.size() - store::checksum_size;
    put(file, end, thresher::hash64({file.data(), end}));
}

// And then the offsets that the sizes demand, even if these add up to more than 64 bits.
void mend_offsets(std::vector<char>& file) {
    const std::uint64_t count = thresher::little_endian<std::uint32_t>(file.data() + 12);
    std::uint64_t end = store::head_size + count * store::entry_size;
    if (end > file.size() - store::checksum_size) return;
    for (std::size_t at = store::head_size, last = end; at < last; at += store::entry_size) {
        const std::uint64_t start = (end + store::alignment - 1) / store::alignment * store::alignment;
        put(file, at + 16, start);
        end = start + thresher::little_endian<std::uint64_t>(file.data() + at + 24);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    check(input);
    if (size < store::smallest) return 0;
    std::vector<char> file(input.begin(), input.end());  // exactly as long, so that no read past its end is missed
    mend(file);
    check({file.data(), size});
    mend_offsets(file);
    mend(file);
    check({file.data(), size});
    return 0;
}
