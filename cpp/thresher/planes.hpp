// Planes: what a bank has slot by slot, in records, is kept number by number, plane after plane.
//
// A block of slots stays in a near cache while its numbers are taken for one plane after the other. Most slots are
// often as they began: a block whose records are all alike is remembered as such, and its first record stands for all
// of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace thresher {

// Records of `stride` numbers, one a slot.
template <class Real>
struct Lot {
    Real* records;
    std::size_t stride;
};

// The numbers in one column of a lot are the k-th of their slots in a plane.
struct Spot {
    std::size_t lot, column, k;
};

// A plane, which has `wide` numbers a slot. What several parts share lies in each of them: `copies` are the others.
struct Spread {
    std::size_t wide;
    std::vector<Spot> spots, copies;
};

template <class Real>
class Planes {
  public:
    Planes(std::size_t n, std::vector<Lot<Real>> lots, std::vector<Spread> spreads)
        : n_(n), lots_(std::move(lots)), spreads_(std::move(spreads)) {}

    std::size_t planes() const { return spreads_.size(); }
    std::size_t slots() const { return n_; }
    std::size_t wide(std::size_t plane) const { return spreads_[plane].wide; }
    std::size_t size(std::size_t plane) const { return n_ * wide(plane); }

    // Finds the blocks in which every record is as the one before it. From now on the records may not change.
    void look() {
        for (const auto& [records, stride] : lots_) {
            std::vector<std::uint8_t>& repeats = repeats_.emplace_back();
            for (std::size_t first = 0; first < n_; first += block) {
                const std::size_t begin = std::max(first, std::size_t{1});
                const Real* const record = records + begin * stride;
                const std::size_t size = (end_of(first) - begin) * stride * sizeof(Real);
                repeats.push_back(std::memcmp(record - stride, record, size) == 0);
            }
        }
    }

    // The numbers of the slots from `first` to `last` of a plane; `first` begins a block.
    void take(std::size_t plane, std::size_t first, std::size_t last, Real* out) const {
        const std::vector<Spot>& spots = spreads_[plane].spots;
        const std::size_t wide = spreads_[plane].wide;
        const auto repeat = [&](std::size_t slot) {
            return !repeats_.empty() &&
                   std::ranges::all_of(spots, [&](const Spot& spot) { return repeats_[spot.lot][slot / block] != 0; });
        };
        while (first < last) {
            const bool one = repeat(first);
            std::size_t end = end_of(first);
            while (one && end < last && repeat(end)) end = end_of(end);
            const std::size_t all = std::min(end, last) - first, taken = one ? 1 : all;
            for (const Spot& spot : spots) {
                const auto [records, stride] = lots_[spot.lot];
                const Real* const from = records + first * stride + spot.column;
                for (std::size_t i = 0; i < taken; ++i) out[i * wide + spot.k] = from[i * stride];
            }
            for (std::size_t done = taken; done < all; done *= 2) {
                std::copy_n(out, std::min(done, all - done) * wide, out + done * wide);
            }
            first += all;
            out += all * wide;
        }
    }

    // All numbers of all planes, out of the records or into them.
    void take_all(const std::vector<Real*>& out) const {
        for (std::size_t first = 0; first < n_; first += block) {
            for (std::size_t p = 0; p < planes(); ++p) take(p, first, end_of(first), out[p] + first * wide(p));
        }
    }
    void set_all(const std::vector<const Real*>& in) const {
        for (std::size_t first = 0; first < n_; first += block) {
            for (std::size_t p = 0; p < planes(); ++p) {
                for (const auto* spots : {&spreads_[p].spots, &spreads_[p].copies}) {
                    for (const Spot& spot : *spots) {
                        const auto [records, stride] = lots_[spot.lot];
                        const Real* const from = in[p] + spot.k;
                        for (std::size_t i = first; i < end_of(first); ++i) {
                            records[i * stride + spot.column] = from[i * wide(p)];
                        }
                    }
                }
            }
        }
    }

    static constexpr std::size_t block = 64;

  private:
    std::size_t end_of(std::size_t first) const { return std::min(first + block, n_); }

    std::size_t n_;
    std::vector<Lot<Real>> lots_;
    std::vector<Spread> spreads_;
    std::vector<std::vector<std::uint8_t>> repeats_;  // of each lot and block, if somebody looked
};

}  // namespace thresher
