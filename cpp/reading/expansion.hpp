// What the features of a line make together: n-grams, words that follow each other in a namespace, and interactions,
// features of some namespaces taken together.
//
// Each has a name, and is hashed by it like any other: so a line is read as if the text had these names, too. Its value
// is the product of the values that make it. An n-gram is `namespace^word word`, and a feature of its namespace. An
// interaction is `name*name`, in the order of the namespaces' letters and then of the names, and there once, however
// many of the interactions that were asked for give it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../thresher/canonical.hpp"
#include "../thresher/names.hpp"
#include "rows.hpp"

namespace thresher::reading {

class Expansion {
  public:
    static constexpr char any = ':';                                // in an interaction: whatever namespace
    static constexpr std::size_t most_text = std::size_t{1} << 28;  // of all names that a line makes, in bytes

    Expansion() = default;
    // An interaction has a letter for each of its features, with which the name of its namespace begins. A name that
    // comes again counts once here, with its values added where the domain is any, and else with the larger in size.
    Expansion(std::vector<std::string> interactions, std::size_t ngrams, Domain domain)
        : interactions_(std::move(interactions)), ngrams_(ngrams), domain_(domain) {}

    bool wanted() const { return ngrams_ > 1 || !interactions_.empty(); }

    void clear() {
        text_.clear();
        features_.clear();
    }

    // The next word of the line: `space` is its namespace with a ^, or nothing, the `part`-th of the line.
    void add(std::size_t part, std::string_view space, std::string_view word, double value) {
        features_.push_back({part, letter_of(space), text_.size(), space.size(), space.size() + word.size(), value});
        text_.append(space).append(word);
    }

    // Calls use(hash, name, value) for all that the words make together. False if that is too much.
    template <class Use>
    bool each(Trouble& trouble, Use&& use) {
        const std::size_t words = features_.size(), single = words + grams(words);
        made_ = 0;
        if (single > most_features) return refuse_many(trouble);
        for (std::size_t last = 1; last < words; ++last) {
            for (std::size_t size = 2; size <= ngrams_ && in_one_part(last + 1 - size, last); ++size) {
                if (!gram(last + 1 - size, last, trouble, use)) return false;
            }
        }
        if (interactions_.empty()) return true;
        if (!group(trouble)) return false;
        choose();
        if (single + combinations() > most_features) return refuse_many(trouble);
        for (const auto& choice : choices_) {
            name_.clear();
            if (!join(choice, 0, 0, 1.0, trouble, use)) return false;
        }
        return true;
    }

  private:
    struct Feature {
        std::size_t part;
        int letter;
        std::size_t start, space, size;  // in the text
        double value;
    };
    struct Named {
        std::string_view name;
        double value;
    };
    struct Group {  // all with one letter
        int letter;
        std::size_t first, last;
    };
    using Choice = std::vector<std::size_t>;  // groups, ascending: one for each feature of an interaction

    static constexpr int no_letter = -1;

    static int letter_of(std::string_view space) {
        return space.empty() ? no_letter : static_cast<unsigned char>(space.front());
    }

    static bool refuse_many(Trouble& trouble) {
        return refuse(trouble, "a line that makes more than 2^20 features with its n-grams and interactions",
                      "a shorter line, or fewer of them");
    }

    std::string_view name_of(const Feature& feature) const { return {text_.data() + feature.start, feature.size}; }

    // ---- n-grams --------------------------------------------------------------------------------------------------

    // Whether the words from `first` on, which may be below 0, are in one part of the line.
    bool in_one_part(std::size_t first, std::size_t last) const {
        return first <= last && features_[first].part == features_[last].part;
    }

    std::size_t grams(std::size_t words) const {
        std::size_t count = 0, before = 0;  // words before this one in its part
        for (std::size_t i = 1; i < words && count <= most_features; ++i) {
            before = in_one_part(i - 1, i) ? before + 1 : 0;
            count += std::min(before, ngrams_ - 1);
        }
        return count;
    }

    template <class Use>
    bool gram(std::size_t first, std::size_t last, Trouble& trouble, Use& use) {
        name_.assign(name_of(features_[first]));
        double value = features_[first].value;
        for (std::size_t i = first + 1; i <= last; ++i) {
            name_ += ' ';
            name_ += name_of(features_[i]).substr(features_[i].space);
            value *= features_[i].value;
        }
        if (!give(value, trouble, use)) return false;
        if (interactions_.empty()) return true;
        features_.push_back({0, features_[first].letter, text_.size(), 0, name_.size(), value});
        text_ += name_;
        return true;
    }

    // ---- interactions ---------------------------------------------------------------------------------------------

    // The features by their letters and names, each name once, those of value 0 left out.
    bool group(Trouble& trouble) {
        std::sort(features_.begin(), features_.end(), [this](const Feature& a, const Feature& b) {
            return std::forward_as_tuple(a.letter, name_of(a), a.value) <
                   std::forward_as_tuple(b.letter, name_of(b), b.value);
        });
        named_.clear();
        groups_.clear();
        for (std::size_t i = 0; i < features_.size();) {
            const Feature& first = features_[i];
            double value = first.value;
            while (++i < features_.size() && features_[i].letter == first.letter &&
                   name_of(features_[i]) == name_of(first)) {
                const double next = features_[i].value;
                value = domain_ == Domain::any ? value + next : kept_of(domain_, value, next);
                if (!acceptable(value))
                    return refuse(trouble, "values that add up to more than 2^250", "smaller values");
            }
            if (value == 0.0) continue;
            if (groups_.empty() || groups_.back().letter != first.letter) {
                groups_.push_back({first.letter, named_.size(), named_.size()});
            }
            named_.push_back({name_of(first), value});
            groups_.back().last = named_.size();
        }
        return true;
    }

    // Which groups are taken together.
    void choose() {
        letters_.clear();
        for (const Group& each : groups_) letters_.push_back(each.letter);
        if (letters_ == chosen_for_) return;  // lines are alike
        choices_.clear();
        for (const std::string& interaction : interactions_) {
            if (std::all_of(interaction.begin(), interaction.end(), [this](char letter) { return is_there(letter); }))
                choose(interaction, 0, {});
        }
        chosen_for_ = letters_;
        if (choices_.size() > most_features) return;  // each makes a feature at least, so the line is refused
        for (Choice& choice : choices_) std::sort(choice.begin(), choice.end());
        std::sort(choices_.begin(), choices_.end());
        choices_.erase(std::unique(choices_.begin(), choices_.end()), choices_.end());
    }

    // Whether a feature of an interaction can be found: if not, it is in vain to look for the others.
    bool is_there(char letter) const {
        const auto wanted = static_cast<unsigned char>(letter);
        return letter == any || std::find(letters_.begin(), letters_.end(), wanted) != letters_.end();
    }

    // Every choice that the letters from number `at` on allow, or so many that there are too many.
    void choose(const std::string& interaction, std::size_t at, Choice choice) {
        if (at == interaction.size()) {
            choices_.push_back(std::move(choice));
            return;
        }
        const bool again = at > 0 && interaction[at] == any && interaction[at - 1] == any;  // in any order is once
        for (std::size_t g = again ? choice.back() : 0; g < groups_.size() && choices_.size() <= most_features; ++g) {
            if (interaction[at] != any && letters_[g] != static_cast<unsigned char>(interaction[at])) continue;
            choice.push_back(g);
            choose(interaction, at + 1, choice);
            choice.pop_back();
        }
    }

    // How many features the choices make. Of a group that is taken k times: as many as there are multisets of k.
    std::size_t combinations() const {
        std::size_t count = 0;
        for (const Choice& choice : choices_) {
            std::size_t product = 1;
            for (std::size_t at = 0, taken = 0; at < choice.size(); ++at) {
                taken = at > 0 && choice[at] == choice[at - 1] ? taken + 1 : 1;
                const Group& from = groups_[choice[at]];
                product = product * (from.last - from.first + taken - 1) / taken;
                if (product > most_features) return product;
            }
            count += product;
        }
        return count;
    }

    // All features of a choice whose first `at` are in `name_`, the last of them number `from`.
    template <class Use>
    bool join(const Choice& choice, std::size_t at, std::size_t from, double value, Trouble& trouble, Use& use) {
        const Group& here = groups_[choice[at]];
        if (at == 0 || choice[at - 1] != choice[at]) from = here.first;
        const std::size_t before = name_.size();
        for (std::size_t i = from; i < here.last; ++i) {
            name_.resize(before);
            if (at > 0) name_ += '*';
            name_ += named_[i].name;
            const double product = value * named_[i].value;
            const bool good =
                at + 1 == choice.size() ? give(product, trouble, use) : join(choice, at + 1, i, product, trouble, use);
            if (!good) return false;
        }
        name_.resize(before);
        return true;
    }

    // The feature in `name_`.
    template <class Use>
    bool give(double value, Trouble& trouble, Use& use) {
        if (!acceptable(value)) return refuse(trouble, "a product beyond 2^250 (1.8e75)", "smaller values");
        made_ += name_.size();
        if (made_ > most_text)
            return refuse(trouble, "a line that makes more than 256 MiB of names with its n-grams and interactions",
                          "shorter names, or fewer of them");
        use(hash64(name_), std::string_view(name_), value);
        return true;
    }

    std::vector<std::string> interactions_;
    std::size_t ngrams_ = 1;
    Domain domain_ = Domain::any;

    std::string text_;               // the names of the features
    std::vector<Feature> features_;  // the words, then the n-grams
    std::vector<Named> named_;       // the same, by group
    std::vector<Group> groups_;
    std::vector<int> letters_, chosen_for_;  // of the groups
    std::vector<Choice> choices_;
    std::string name_;
    std::size_t made_ = 0;  // bytes of names
};

}  // namespace thresher::reading
