// The rules of the core in Python: each with its parameters, comparable, and able to make its learner.
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "../thresher/adagrad.hpp"
#include "../thresher/arow.hpp"
#include "../thresher/averaged_perceptron.hpp"
#include "../thresher/balanced_winnow.hpp"
#include "../thresher/constant.hpp"
#include "../thresher/elimination.hpp"
#include "../thresher/invariant.hpp"
#include "../thresher/literal_winnow.hpp"
#include "../thresher/majority.hpp"
#include "../thresher/margin_perceptron.hpp"
#include "../thresher/p_norm_perceptron.hpp"
#include "../thresher/passive_aggressive.hpp"
#include "../thresher/perceptron.hpp"
#include "../thresher/scaled_winnow.hpp"
#include "../thresher/winnow.hpp"
#include "bindings.hpp"

namespace thresher::python {

namespace {

constexpr std::array<const char*, 4> votes{"weighted", "randomized", "improved", "leader"};

Vote vote_named(std::string_view name) {
    for (std::size_t i = 0; i < votes.size(); ++i) {
        if (name == votes[i]) return static_cast<Vote>(i);
    }
    throw std::invalid_argument("no such vote");
}

const char* vote_of(const MajorityRule& rule) { return votes[static_cast<std::size_t>(rule.vote)]; }

std::optional<double> beta_of(const MajorityRule& rule) {
    return rule.doubling ? std::nullopt : std::optional<double>(rule.beta);
}

std::optional<double> bias_of(const AnyRule& rule) {
    return rule.sight.dummy == 0.0 ? std::nullopt : std::optional<double>(rule.sight.dummy);
}

double checked_bias(std::optional<double> bias, double largest, const char* words) {
    if (bias && !(std::fabs(*bias) <= largest && *bias != 0.0)) {
        raise("ParameterError", "found bias = " + shown(nb::cast(*bias)) + ", expected None, or " + words);
    }
    return bias.value_or(0.0);
}

constexpr const char* any_bias = "a number other than 0 of at most 2^250 (1.8e75)";

// Of a portfolio: who its lanes are, by name, and its master.
struct PortfolioRule : AnyRule {
    static constexpr const char* name = "PortfolioRule";
    std::vector<std::string> lanes;
    std::string master;
    double cost_positive = 1.0;
};

// Equality, hash and pickling, all by the arguments that make the rule.
template <class Rule, class Arguments>
nb::class_<Rule, AnyRule> bind_rule(nb::module_& m, const char* about, Arguments arguments) {
    return nb::class_<Rule, AnyRule>(m, Rule::name, about)
        .def(
            "__eq__",
            [arguments](const Rule& rule, nb::handle other) {
                return nb::isinstance<Rule>(other) && arguments(rule).equal(arguments(nb::cast<const Rule&>(other)));
            },
            nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [arguments](const Rule& rule) { return nb::hash(arguments(rule)); })
        .def(
            "__reduce__",
            [arguments](nb::handle self) {
                return nb::make_tuple(self.type(), arguments(nb::cast<const Rule&>(self)));
            },
            nb::sig("def __reduce__(self) -> tuple[type, tuple[object, ...]]"));
}

template <class Rule>
std::unique_ptr<AnyGroup> made(std::size_t n, nb::handle rule, nb::dict kept) {
    if (!nb::isinstance<Rule>(rule)) return nullptr;
    std::vector<Plane> planes;
    for (const PlaneKind& kind : Rule::planes) {
        if (kind.kept && kept.size() > 0) planes.push_back(plane_of(nb::cast<Vector<double>>(kept[kind.name])));
        if (!planes.empty() && planes.back().size() != n) throw std::invalid_argument("one number a slot");
    }
    return std::make_unique<Group<Rule>>(n, nb::cast<const Rule&>(rule), planes);
}

template <class... Rules>
std::unique_ptr<AnyGroup> first_of(std::size_t n, nb::handle rule, const nb::dict& kept) {
    std::unique_ptr<AnyGroup> group;
    (void)((group = made<Rules>(n, rule, kept), group != nullptr) || ...);
    return group;
}

template <class... Rules>
Domain domain_of_any(nb::handle rule) {
    Domain domain = Domain::any;
    (void)((nb::isinstance<Rules>(rule) && (domain = Rules::domain, true)) || ...);
    return domain;
}

}  // namespace

std::unique_ptr<AnyGroup> group_of(std::size_t n, nb::handle rule, const nb::dict& kept) {
    if (n < 1 || n > most_attributes) throw std::invalid_argument("n must be from 1 to 2^48");
    auto group = first_of<AROW, AdaGrad<Hinge>, AdaGrad<Logistic>, AveragedPerceptron, BalancedWinnow, Constant,
                          Elimination, Invariant, LiteralWinnow, MarginPerceptron, PNormPerceptron, PassiveAggressive,
                          Perceptron, ScaledWinnow, Winnow>(n, rule, kept);
    if (group == nullptr) throw nb::type_error("expected a rule of the core");
    return group;
}

Sight sight_of(nb::handle rule) { return rule.is_none() ? Sight{} : nb::cast<const AnyRule&>(rule).sight; }

Domain domain_of(nb::handle rule) { return domain_of_any<Winnow, LiteralWinnow, BalancedWinnow, Elimination>(rule); }

const char* values_of(Domain domain) {
    switch (domain) {
        case Domain::any:
            break;
        case Domain::signed_unit:
            return "signed unit";
        case Domain::unit:
            return "unit";
        case Domain::binary:
            return "binary";
    }
    return "any";
}

Domain domain_named(std::string_view values) {
    for (const Domain domain : {Domain::any, Domain::signed_unit, Domain::unit, Domain::binary}) {
        if (values == values_of(domain)) return domain;
    }
    throw std::invalid_argument("no such values");
}

bool has_margin(nb::handle rule, std::int64_t t) {
    return nb::isinstance<PassiveAggressive>(rule) || (t > 1 && nb::isinstance<MarginPerceptron>(rule));
}

bool has_p_norm(nb::handle rule) { return nb::isinstance<PNormPerceptron>(rule); }

void bind_rules(nb::module_& m) {
    nb::class_<AnyRule>(m, "Rule", "A rule of the core, with its parameters.")
        .def_prop_ro(
            "normalize", [](const AnyRule& rule) { return rule.sight.normalize; },
            "Whether it scales each example to norm 1.")
        .def_prop_ro("bias", &bias_of, "The value of the attribute that it appends; None where there is none.")
        .def_prop_ro(
            "values", [](nb::handle self) { return values_of(domain_of(self)); }, nb::sig("def values(self, /) -> str"),
            "Which values its examples may hold: any, signed unit (from -1 to 1), unit (from 0 to 1), binary. Values\n"
            "of two names in one slot are added where they may be any; elsewhere the larger in size is kept.")
        .def_prop_ro(
            "weighs", [](nb::handle self) { return !nb::isinstance<Elimination>(self); },
            nb::sig("def weighs(self, /) -> bool"), "Whether its examples may have weights other than 1.");

    bind_rule<Perceptron>(
        m, "The Perceptron's rule.",
        [](const Perceptron& rule) { return nb::make_tuple(rule.sight.normalize, bias_of(rule), rule.tie); })
        .def(
            "__init__",
            [](Perceptron* self, bool normalize, std::optional<double> bias, int tie) {
                new (self) Perceptron({normalize, checked_bias(bias, largest_value, any_bias)}, tie);
            },
            nb::arg("normalize"), nb::arg("bias").none(), nb::arg("tie"))
        .def_ro("tie", &Perceptron::tie);

    bind_rule<AveragedPerceptron>(
        m, "The averaged Perceptron's rule.",
        [](const AveragedPerceptron& rule) { return nb::make_tuple(rule.sight.normalize, bias_of(rule), rule.tie); })
        .def(
            "__init__",
            [](AveragedPerceptron* self, bool normalize, std::optional<double> bias, int tie) {
                new (self) AveragedPerceptron({normalize, checked_bias(bias, largest_value, any_bias)}, tie);
            },
            nb::arg("normalize"), nb::arg("bias").none(), nb::arg("tie"))
        .def_ro("tie", &AveragedPerceptron::tie);

    bind_rule<PassiveAggressive>(m, "The passive-aggressive rule.",
                                 [](const PassiveAggressive& rule) { return nb::make_tuple(rule.most, bias_of(rule)); })
        .def(
            "__init__",
            [](PassiveAggressive* self, double most, std::optional<double> bias) {
                new (self) PassiveAggressive(most, checked_bias(bias, largest_value, any_bias));
            },
            nb::arg("most"), nb::arg("bias").none())
        .def_ro("most", &PassiveAggressive::most, "C, the most that a step is along an example.");

    bind_rule<PNormPerceptron>(m, "The p-norm Perceptron's rule.",
                               [](const PNormPerceptron& rule) { return nb::make_tuple(rule.p, bias_of(rule)); })
        .def(
            "__init__",
            [](PNormPerceptron* self, double p, std::optional<double> bias) {
                if (!(p >= 2.0 && p <= 100.0)) throw std::invalid_argument("p must be from 2 to 100");
                new (self) PNormPerceptron(p, checked_bias(bias, largest_value, any_bias));
            },
            nb::arg("p"), nb::arg("bias").none())
        .def_ro("p", &PNormPerceptron::p);

    bind_rule<MarginPerceptron>(m, "The Margin Perceptron's rule.",
                                [](const MarginPerceptron& rule) {
                                    return nb::make_tuple(rule.margin, rule.epsilon, rule.halving, bias_of(rule));
                                })
        .def(
            "__init__",
            [](MarginPerceptron* self, double margin, double epsilon, bool halving, std::optional<double> bias) {
                new (self) MarginPerceptron(margin, epsilon, halving, checked_bias(bias, largest_value, any_bias));
            },
            nb::arg("margin"), nb::arg("epsilon"), nb::arg("halving"), nb::arg("bias").none())
        .def_ro("margin", &MarginPerceptron::margin)
        .def_ro("epsilon", &MarginPerceptron::epsilon)
        .def_ro("halving", &MarginPerceptron::halving);

    const auto winnow = [&]<class Rule>(const char* about) {
        return bind_rule<Rule>(
                   m, about, [](const Rule& rule) { return nb::make_tuple(rule.threshold, rule.factor, rule.strict); })
            .def(nb::init<double, double, bool>(), nb::arg("threshold"), nb::arg("factor"), nb::arg("strict"))
            .def_ro("threshold", &Rule::threshold)
            .def_ro("factor", &Rule::factor)
            .def_ro("strict", &Rule::strict)
            .def_prop_ro("exact", &Rule::exact, "Whether whole numbers decide wherever doubles cannot tell.")
            .def_ro("lowest", &Rule::lowest, "No exponent falls below this.")
            .def_ro("highest", &Rule::highest, "No exponent rises above this.");
    };
    winnow.operator()<Winnow>("Winnow's rule.");
    winnow.operator()<LiteralWinnow>("The rule of Winnow over attributes and their negations.")
        .def_ro("far", &LiteralWinnow::far, "Where the negations' common exponent is folded into their own.");

    bind_rule<BalancedWinnow>(m, "Balanced Winnow's rule.",
                              [](const BalancedWinnow& rule) { return nb::make_tuple(rule.eta, bias_of(rule)); })
        .def(
            "__init__",
            [](BalancedWinnow* self, double eta, std::optional<double> bias) {
                new (self) BalancedWinnow(eta, checked_bias(bias, 1.0, "a number other than 0 from -1 to 1"));
            },
            nb::arg("eta"), nb::arg("bias").none())
        .def_ro("eta", &BalancedWinnow::eta);

    bind_rule<ScaledWinnow>(
        m, "The rule of Winnow for any values.",
        [](const ScaledWinnow& rule) { return nb::make_tuple(rule.times, rule.factor, bias_of(rule)); })
        .def(
            "__init__",
            [](ScaledWinnow* self, double times, double factor, std::optional<double> bias) {
                if (!(factor > 1.0 && times > 0.0)) throw std::invalid_argument("factor > 1 and times > 0");
                new (self) ScaledWinnow(times, factor, checked_bias(bias, largest_value, any_bias));
            },
            nb::arg("times"), nb::arg("factor"), nb::arg("bias").none())
        .def_ro("times", &ScaledWinnow::times, "The threshold over the sum of the first example.")
        .def_ro("factor", &ScaledWinnow::factor);

    bind_rule<Constant>(m, "The rule that says one label.",
                        [](const Constant& rule) { return nb::make_tuple(rule.label); })
        .def(
            "__init__",
            [](Constant* self, int label) {
                if (label != 1 && label != -1) throw std::invalid_argument("label must be -1 or +1");
                new (self) Constant(label);
            },
            nb::arg("label"))
        .def_ro("label", &Constant::label);

    bind_rule<Elimination>(m, "Elimination's rule.",
                           [](const Elimination& rule) { return nb::make_tuple(rule.monotone); })
        .def(nb::init<bool>(), nb::arg("monotone"))
        .def_ro("monotone", &Elimination::monotone);

    const auto with_rate = [&]<class Rule>(const char* about) {
        bind_rule<Rule>(m, about, [](const Rule& rule) { return nb::make_tuple(rule.rate, bias_of(rule)); })
            .def(
                "__init__",
                [](Rule* self, double rate, std::optional<double> bias) {
                    new (self) Rule(
                        rate, checked_bias(bias, largest_value, "a number other than 0 of at most 2^250 (1.8e75)"));
                },
                nb::arg("rate"), nb::arg("bias").none())
            .def_ro("rate", &Rule::rate);
    };
    bind_rule<AROW>(m, "The rule of AROW, with a diagonal covariance.",
                    [](const AROW& rule) { return nb::make_tuple(rule.r, bias_of(rule)); })
        .def(
            "__init__",
            [](AROW* self, double r, std::optional<double> bias) {
                new (self)
                    AROW(r, checked_bias(bias, largest_value, "a number other than 0 of at most 2^250 (1.8e75)"));
            },
            nb::arg("r"), nb::arg("bias").none())
        .def_ro("r", &AROW::r);
    with_rate.operator()<AdaGrad<Hinge>>("AdaGrad's rule for the hinge loss.");
    with_rate.operator()<AdaGrad<Logistic>>("AdaGrad's rule for the logistic loss.");
    with_rate.operator()<Invariant>("The invariant rule: a normalised adaptive gradient.");

    bind_rule<PortfolioRule>(m, "The rule of a portfolio.",
                             [](const PortfolioRule& rule) {
                                 return nb::make_tuple(nb::tuple(nb::cast(rule.lanes)), rule.master, rule.cost_positive,
                                                       bias_of(rule));
                             })
        .def(
            "__init__",
            [](PortfolioRule* self, std::vector<std::string> lanes, std::string master, double cost_positive,
               std::optional<double> bias) {
                const Sight sight{false, checked_bias(bias, largest_value, any_bias)};
                new (self) PortfolioRule{{sight}, std::move(lanes), std::move(master), cost_positive};
            },
            nb::arg("lanes"), nb::arg("master"), nb::arg("cost_positive"), nb::arg("bias").none())
        .def_prop_ro(
            "lanes", [](const PortfolioRule& rule) { return nb::tuple(nb::cast(rule.lanes)); },
            nb::sig("def lanes(self, /) -> tuple[str, ...]"), "The lanes' names.")
        .def_ro("master", &PortfolioRule::master, "The rule that weighs them.")
        .def_ro("cost_positive", &PortfolioRule::cost_positive, "What a missed positive example costs.");

    bind_rule<MajorityRule>(
        m, "The rule of a majority of experts.",
        [](const MajorityRule& rule) { return nb::make_tuple(vote_of(rule), rule.n, beta_of(rule), rule.seed); })
        .def(
            "__init__",
            [](MajorityRule* self, std::string_view kind, std::size_t n, std::optional<double> beta,
               std::uint64_t seed) {
                if (n < 1) throw std::invalid_argument("n must be at least 1");
                new (self) MajorityRule{{}, vote_named(kind), n, beta.value_or(0.5), !beta, seed};
            },
            nb::arg("kind"), nb::arg("n"), nb::arg("beta").none(), nb::arg("seed"))
        .def_prop_ro("kind", &vote_of, "weighted, randomized, improved or leader.")
        .def_ro("n", &MajorityRule::n, "The number of experts.")
        .def_prop_ro("beta", &beta_of, "What a wrong expert keeps of its weight; None where it is doubled.")
        .def_ro("seed", &MajorityRule::seed, "Of the coins.");
}

}  // namespace thresher::python
