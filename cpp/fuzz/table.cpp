// Whatever the bytes: columns made of them are refused, or give canonical rows whose names fall into their slots; text
// is cut behind whole rows, and cutting again behind the rest cuts at the same places.
#include "../reading/table.hpp"

#include "../reading/cuts.hpp"
#include "../reading/whole_rows.hpp"
#include "reading.hpp"

namespace {

using namespace thresher;
using namespace thresher::fuzz;

// Takes values from the bytes, and zeros when there are no more.
class Bytes {
  public:
    Bytes(const unsigned char* at, std::size_t size) : at_(at), end_(at + size) {}

    template <class T>
    T take() {
        T value{};
        const std::size_t size = std::min(sizeof value, static_cast<std::size_t>(end_ - at_));
        std::memcpy(&value, at_, size);
        at_ += size;
        return value;
    }

    template <class T>
    std::vector<T> some(std::size_t most) {
        std::vector<T> values(take<std::uint8_t>() % (most + 1));
        for (T& value : values)
            value = sizeof(T) > 1 && take<std::uint8_t>() % 4 != 0 ? T(take<std::int8_t>()) : take<T>();
        return values;
    }

  private:
    const unsigned char *at_, *end_;
};

// Arrays that live as long as the columns that look into them.
struct Arrays {
    std::vector<double> values;
    std::vector<std::int32_t> codes, offsets;
    std::vector<std::int64_t> starts;
    std::vector<char> bytes;

    explicit Arrays(Bytes& from)
        : values(from.some<double>(6)),
          codes(from.some<std::int32_t>(6)),
          offsets(from.some<std::int32_t>(6)),
          starts(from.some<std::int64_t>(6)),
          bytes(from.some<char>(40)) {}
};

Column column_of(const Arrays& arrays, std::string name, Column::Kind kind, bool list) {
    Column column{name, kind == Column::Kind::numbers ? name : name + "=", kind};
    column.values = arrays.values;
    column.codes = arrays.codes;
    if (list) column.starts = arrays.starts;
    column.texts = {arrays.bytes, arrays.offsets};
    return column;
}

void check_rows(const Columns& table, const Plan& plan) {
    constexpr Scaling scalings[] = {Scaling::none, Scaling::frozen, Scaling::moving};
    TableReader reader(plan.n, plan.policy, 1 + plan.seed % 3, scalings[plan.seed / 4 % 3]);
    reader.begin(table);
    while (reader.has_next()) {
        const std::int64_t before = reader.rows();
        const Parsed parsed = reader.next();
        demand(reader.rows() > before && static_cast<std::int64_t>(parsed.rows.size) <= reader.rows() - before);
        const std::vector<char> all(parsed.rows.size, 1);
        reader.keep_names(table, parsed.rows, reinterpret_cast<const bool*>(all.data()));
        for (std::size_t k = 0; k < parsed.rows.size; ++k) {
            std::set<std::int32_t> possible;
            reader.each_name(table, parsed.rows.places[k],
                             [&](std::uint64_t hash, std::string_view first, std::string_view second) {
                                 demand(hash == hash64(std::string(first).append(second)));
                                 possible.insert(static_cast<std::int32_t>(slot_of_hash(hash, plan.n)));
                             });
            for (auto j = parsed.rows.starts[k]; j < parsed.rows.starts[k + 1]; ++j) {
                const std::int32_t slot = parsed.rows.slots[j];
                const double value = parsed.rows.values[j];
                demand(possible.count(slot) == 1 && (j == parsed.rows.starts[k] || parsed.rows.slots[j - 1] < slot));
                demand(value != 0.0 && std::fabs(value) <= 0x1p250);
                demand(refuse_value(plan.policy.domain, value) == Fault::Kind::none);
            }
        }
    }
}

void check_cuts(std::string_view text) {
    for (const bool quotes : {false, true}) {
        const std::size_t end = end_of_rows(text, ',', quotes);
        demand(end <= text.size() && (end == 0 || text[end - 1] == '\n'));
        demand(end_of_rows(text.substr(0, end), ',', quotes) == end);
        demand(end_of_rows(text.substr(end), ',', quotes) == 0);
        const WholeRows whole = whole_rows(text, ',', quotes);
        demand(whole.end == end);
        demand(static_cast<std::ptrdiff_t>(whole.lines) == std::count(text.begin(), text.begin() + end, '\n'));
        demand(!quotes || whole.broken || stray_quote(text.substr(0, end), ',').end == 0);
    }
    demand(depth_of_json(text) <= text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size < Plan::size) return 0;
    const Plan plan(data);
    check_cuts({reinterpret_cast<const char*>(data), size});
    Bytes bytes(data + Plan::size, size - Plan::size);
    const Arrays one(bytes), other(bytes), third(bytes);
    Columns table;
    table.columns = {
        column_of(one, "a", Column::Kind::numbers, false), column_of(other, "b", Column::Kind::categories, plan.option),
        column_of(third, "c", Column::Kind::words, false), column_of(third, "d", Column::Kind::numbers, false)};
    table.columns.resize(1 + plan.cut % 4);
    table.label = {column_of(one, "label", Column::Kind::categories, false)};
    table.rows = one.values.size();
    const auto fits = [&](const Column& column) { return column.rows() == static_cast<std::int64_t>(table.rows); };
    std::erase_if(table.columns, [&](const Column& column) { return !fits(column); });
    std::erase_if(table.label, [&](const Column& column) { return !fits(column); });
    check_rows(table, plan);
    return 0;
}
