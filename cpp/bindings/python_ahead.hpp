// Lanes that learn ahead of their vote, as Python has them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "../thresher/lanes/ahead.hpp"
#include "python_bank.hpp"

namespace thresher::python {

// Rows are learned by a crew, and are taken back in order. Until all are, nobody else uses the bank.
template <class Real>
class PythonAhead {
  public:
    using Bank = PythonBank<Real>;
    using Says = typename Bank::Says;
    using Scores = typename Bank::Scores;
    using Changed = typename Bank::Changed;

    PythonAhead(Bank& bank, std::shared_ptr<Crew> crew)
        : bank_(bank), lanes_(std::move(crew), Play<Real>(*bank.bank_)) {}

    void give(nb::handle block, nb::handle labels, std::optional<Vector<double>> weights, Says says, Scores scores,
              Changed changed) {
        const Busy::Writing writing(busy_);
        if (ended_) throw std::invalid_argument("it has ended");
        const auto& held = nb::cast<const HeldBlock&>(block);
        const auto codes = nb::cast<Vector<std::int8_t>>(labels);
        check_width(width_of(held.block), bank_.n());
        bank_.check(says, scores, rows_of(held.block));
        bank_.check_rows(rows_of(held.block), codes, weights, changed);
        if (!using_) using_.emplace(bank_.busy_);
        given_.push_back({nb::borrow(block), nb::borrow(labels), codes, weights, says, scores, changed});
        const double* const costs = weights ? weights->data() : nullptr;
        lanes_.give({&held.block, codes.data(), costs, {says.data(), scores.data()}, changed.data()});
    }

    // Waits until the oldest rows are learned, and raises what is wrong with them.
    void take() {
        const Busy::Writing writing(busy_);
        if (given_.empty()) throw std::invalid_argument("there is nothing to be taken");
        const Given given = std::move(given_.front());  // it must stay until they are learned
        given_.pop_front();
        const Stint<Real> stint = [&] {
            const nb::gil_scoped_release free;
            return lanes_.take();
        }();
        if (given_.empty()) using_.reset();
        bank_.learned(nb::cast<const HeldBlock&>(given.block), stint.fault, stint.played, given.weights, given.labels);
    }

    // What nobody took is let go.
    void end() {
        const Busy::Writing writing(busy_);
        {
            const nb::gil_scoped_release free;
            lanes_.end();
        }
        given_.clear();
        using_.reset();
        ended_ = true;
    }

  private:
    struct Given {
        nb::object block, labels;
        Vector<std::int8_t> codes;
        std::optional<Vector<double>> weights;
        Says says;
        Scores scores;
        Changed changed;
    };

    Bank& bank_;
    std::optional<Busy::Writing> using_;
    std::deque<Given> given_;
    LanesAhead<Real> lanes_;
    bool ended_ = false;
    Busy busy_;
};

}  // namespace thresher::python
