#include "ptx/compile/compiled_floats.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ptx/compile/value_numbering.hpp"
#include "ptx/run/handlers.hpp"

namespace cupool::ptx {
namespace {

bool is_register(std::uint32_t operand) { return bank_of(operand) == Bank::unallocated; }
std::uint32_t register_of(std::uint32_t operand) { return operand & offset_mask; }

bool is_float_operation(const DecodedInstruction& decoded) { return is_float(decoded.modifiers.type()); }

// A sum or product without a rounding modifier.
bool is_unrounded(const DecodedInstruction& decoded, std::initializer_list<Operation> operations) {
    return std::find(operations.begin(), operations.end(), decoded.operation) != operations.end() && is_float_operation(decoded) &&
           !decoded.modifiers.has(Field::rounding);
}

bool is_sum(const DecodedInstruction& decoded) { return is_unrounded(decoded, {Operation::float_add, Operation::float_subtract}); }

bool is_product(const DecodedInstruction& decoded) {
    return is_unrounded(decoded, {Operation::float_multiply}) && !decoded.access.guarded && !decoded.modifiers.has(Field::saturate);
}

bool is_extreme(const DecodedInstruction& decoded) {
    return decoded.operation == Operation::float_minimum || decoded.operation == Operation::float_maximum;
}

bool is_sign(const DecodedInstruction& decoded) {
    return decoded.operation == Operation::float_negate || decoded.operation == Operation::float_absolute;
}

bool has_ordered_operands(const DecodedInstruction& decoded) {
    if (decoded.modifiers.type() != Type::f64) return false;
    switch (decoded.operation) {
        case Operation::float_add:
        case Operation::float_subtract:
        case Operation::float_multiply:
        case Operation::float_multiply_add: return true;
        default: return is_extreme(decoded);
    }
}

bool alike(const DecodedInstruction& a, const DecodedInstruction& b) {
    return a.modifiers.type() == b.modifiers.type() && a.modifiers.has(Field::ftz) == b.modifiers.has(Field::ftz);
}

// Divisions and rounded functions expand to code with branches: they end a basic block.
bool is_written_out(const DecodedInstruction& decoded) {
    switch (decoded.operation) {
        case Operation::divide:
        case Operation::remainder: return true;
        case Operation::float_divide:
        case Operation::reciprocal:
        case Operation::square_root: return !decoded.modifiers.has(Field::approximate);
        default: return false;
    }
}

// ptxas defines some values after all others: those that it assembles from halves of 32 bits, and results of rounded functions, which it
// expands with a branch to the slow path.
bool is_defined_late(const DecodedInstruction& decoded) {
    const bool is_predicated = decoded.operation == Operation::convert || is_extreme(decoded);
    if (decoded.access.guarded && !is_predicated) return true;
    switch (decoded.operation) {
        case Operation::float_divide:
        case Operation::reciprocal:
        case Operation::square_root: return decoded.instruction.choice == static_cast<std::uint8_t>(Rounding::nearest);
        case Operation::add:
        case Operation::add_set_carry:
        case Operation::add_with_carry:
        case Operation::subtract:
        case Operation::subtract_set_borrow:
        case Operation::subtract_with_borrow:
        case Operation::multiply_low:
        case Operation::multiply_high:
        case Operation::multiply_add_low:
        case Operation::multiply_add_high:
        case Operation::multiply_add_wide:
        case Operation::multiply_add_with_carry_low:
        case Operation::multiply_add_with_carry_high:
        case Operation::divide:
        case Operation::remainder:
        case Operation::minimum:
        case Operation::maximum:
        case Operation::absolute:
        case Operation::negate:
        case Operation::absolute_difference:
        case Operation::bit_and:
        case Operation::bit_or:
        case Operation::bit_xor:
        case Operation::bit_not:
        case Operation::shift_left:
        case Operation::shift_right:
        case Operation::field_extract:
        case Operation::field_insert:
        case Operation::select_by_predicate:
        case Operation::select_by_sign: return true;
        default: return false;
    }
}

constexpr std::uint64_t late = std::uint64_t{1} << 32;

/// A possible contraction of a product into a sum.
struct Contraction {
    std::uint32_t product = 0;  ///< position
    unsigned operand = 0;       ///< operand index of the sum: 1 or 2
    bool negated = false;       ///< there is a `neg` between the two
};

class FloatCompiler {
public:
    FloatCompiler(std::vector<DecodedInstruction>& code, std::vector<Type>& types, ValueNumbering values)
        : code_(code), types_(types), values_(std::move(values)) {
        for (const DecodedInstruction& decoded : code)
            functions_before_.push_back((functions_before_.empty() ? 0 : functions_before_.back()) + (is_written_out(decoded) ? 1 : 0));
    }

    // All decisions based on the values that instructions read precede the changes.
    void compile(bool contract) {
        if (contract) choose_contractions();
        order_operands();
        for (const auto& [sum, contraction] : chosen_) fuse(sum, contraction);
    }

private:
    void order_operands() {
        for (std::uint32_t i = 0; i < code_.size(); ++i) {
            DecodedInstruction& decoded = code_[i];
            if (find_choice(i) != chosen_.end()) continue;
            const bool chooses =
                decoded.operation == Operation::select_by_predicate || (is_extreme(decoded) && !decoded.modifiers.has(Field::ftz));
            if (chooses && same_operands(i)) {
                replace(decoded, Operation::move, 1);
            } else if (is_sign(decoded) && decoded.modifiers.type() == Type::f32 && decoded.access.guarded &&
                       !decoded.modifiers.has(Field::ftz)) {
                // ptxas applies the sign in the predicated select, so no arithmetic quiets the NaN.
                replace(decoded, decoded.operation == Operation::float_negate ? Operation::float_flip_sign : Operation::float_clear_sign,
                        1);
            } else if (has_ordered_operands(decoded) && time(i, 2) < time(i, 1)) {
                exchange(decoded);
            }
        }
    }

    using Choice = std::pair<std::uint32_t, Contraction>;  ///< the position of a sum and its contraction

    // --- contraction

    std::vector<Choice>::const_iterator find_choice(std::uint32_t sum) const {
        const auto found = std::lower_bound(chosen_.begin(), chosen_.end(), sum,
                                            [](const Choice& choice, std::uint32_t sought) { return choice.first < sought; });
        return found != chosen_.end() && found->first == sum ? found : chosen_.end();
    }

    // The contraction of the product that an operand of a sum reads, if any.
    std::optional<Contraction> candidate(std::uint32_t sum, unsigned operand) const {
        const std::uint32_t source = code_[sum].instruction.operands[operand];
        if (!is_register(source)) return std::nullopt;
        Value value = values_.read(sum, register_of(source));
        Contraction contraction{0, operand, false};
        if (const DecodedInstruction* negation = writer(value); negation != nullptr && negation->operation == Operation::float_negate &&
                                                                !negation->access.guarded && alike(*negation, code_[sum])) {
            const std::uint32_t position = value.writer();
            if (values_.is_merged_into_another(value) || !is_register(negation->instruction.operands[1])) return std::nullopt;
            value = values_.read(position, register_of(negation->instruction.operands[1]));
            contraction.negated = true;
        }
        const DecodedInstruction* product = writer(value);
        if (product == nullptr || !is_product(*product) || !alike(*product, code_[sum])) return std::nullopt;
        contraction.product = value.writer();
        const bool same_block =
            values_.block(contraction.product) == values_.block(sum) && functions_before_[contraction.product] == functions_before_[sum];
        if (values_.is_merged_into_another(value) || !same_block) return std::nullopt;
        return contraction;
    }

    // A product is contracted into all of its readers or none. A sum takes one product: the one that only it reads, otherwise the first.
    void choose_contractions() {
        std::unordered_set<std::uint32_t> refused;
        bool changed = true;
        while (changed) {
            changed = false;
            chosen_.clear();
            for (std::uint32_t i = 0; i < code_.size(); ++i)
                if (values_.is_live(i) && is_sum(code_[i])) choose(i, refused);
            for (const std::uint32_t product : chosen_products()) {
                if (reaches_sums_alone(product)) continue;
                refused.insert(product);
                changed = true;
            }
        }
    }

    void choose(std::uint32_t sum, const std::unordered_set<std::uint32_t>& refused) {
        std::optional<Contraction> best;
        for (const unsigned operand : {1u, 2u}) {
            const std::optional<Contraction> found = candidate(sum, operand);
            if (!found || refused.contains(found->product)) continue;
            if (!best || (reader_count(best->product) > 1 && reader_count(found->product) == 1)) best = found;
        }
        if (best) chosen_.emplace_back(sum, *best);
    }

    std::size_t reader_count(std::uint32_t product) const { return values_.readers(result_of(product)).size(); }

    std::vector<std::uint32_t> chosen_products() const {
        std::vector<std::uint32_t> products;
        for (const auto& [sum, contraction] : chosen_) products.push_back(contraction.product);
        std::sort(products.begin(), products.end());
        products.erase(std::unique(products.begin(), products.end()), products.end());
        return products;
    }

    bool reaches_sums_alone(std::uint32_t product) const {
        const std::vector<std::uint32_t>& readers = values_.readers(result_of(product));
        for (std::size_t i = 0; i < readers.size(); ++i) {
            if (takes(readers, i, product)) continue;
            const std::uint32_t reader = readers[i];
            if (code_[reader].operation != Operation::float_negate || code_[reader].access.guarded) return false;
            const std::vector<std::uint32_t>& further = values_.readers(result_of(reader));
            for (std::size_t j = 0; j < further.size(); ++j)
                if (!takes(further, j, product)) return false;
        }
        return true;
    }

    // Whether a reader of the product, or of its negation, is a sum that takes the product and reads it once: neither as both operands nor
    // as the previous value of a guarded write.
    bool takes(const std::vector<std::uint32_t>& readers, std::size_t index, std::uint32_t product) const {
        const std::uint32_t reader = readers[index];
        const bool repeated = (index > 0 && readers[index - 1] == reader) || (index + 1 < readers.size() && readers[index + 1] == reader);
        const auto choice = find_choice(reader);
        return !repeated && choice != chosen_.end() && choice->second.product == product;
    }

    void fuse(std::uint32_t sum, const Contraction& contraction) {
        const auto [a, b] = keep_factors(contraction.product);
        DecodedInstruction& decoded = code_[sum];
        Instruction& instruction = decoded.instruction;
        const bool subtracts = decoded.operation == Operation::float_subtract;
        const bool negates_product = contraction.negated != (subtracts && contraction.operand == 2);
        const bool negates_addend = subtracts && contraction.operand == 1;
        instruction.operands[3] = instruction.operands[3 - contraction.operand];
        instruction.operands[1] = a;
        instruction.operands[2] = b;
        if (negates_product)
            replace(decoded, negates_addend ? Operation::float_multiply_negate_subtract : Operation::float_multiply_subtract_from, 3);
        else
            replace(decoded, negates_addend ? Operation::float_multiply_subtract : Operation::float_multiply_add, 3);
    }

    // Copies the factors into registers that keep them until the sum.
    std::pair<std::uint32_t, std::uint32_t> keep_factors(std::uint32_t product) {
        DecodedInstruction& decoded = code_[product];
        Instruction& instruction = decoded.instruction;
        if (decoded.operation == Operation::float_multiply) {
            for (const unsigned copy : {3u, 4u}) {
                types_.push_back(decoded.modifiers.type());
                decoded.access.writes.push_back(static_cast<std::uint32_t>(types_.size() - 1));
                instruction.operands[copy] = operand_in(Bank::unallocated, decoded.access.writes.back());
            }
            replace(decoded, Operation::float_multiply_keep_factors, 2);
        }
        return {instruction.operands[3], instruction.operands[4]};
    }

    // --- order

    // The definition time of an operand. Signs are part of the reading instruction; constants come last.
    std::uint64_t time(std::uint32_t position, unsigned operand) {
        const std::uint32_t source = code_[position].instruction.operands[operand];
        if (!is_register(source)) return 2 * late;
        const Value value = origin(values_.read(position, register_of(source)));
        const DecodedInstruction* definition = writer(value);
        return definition == nullptr || is_defined_late(*definition) ? late + value.time : value.time;
    }

    // The first value of a chain of signs and copies. Memoised, so that each link is followed once.
    Value origin(Value value) {
        std::vector<std::uint32_t> chain;
        for (const DecodedInstruction* link = writer(value); link != nullptr && is_part_of_reader(*link); link = writer(value)) {
            const std::uint32_t position = value.writer();
            if (const auto known = origins_.find(position); known != origins_.end()) {
                value = known->second;
                break;
            }
            chain.push_back(position);
            value = values_.read(position, register_of(link->instruction.operands[1]));
        }
        for (const std::uint32_t position : chain) origins_.emplace(position, value);
        return value;
    }

    static bool is_part_of_reader(const DecodedInstruction& decoded) {
        return (is_sign(decoded) || decoded.operation == Operation::move) && bits_of(decoded.modifiers.type()) == 64 &&
               !decoded.access.guarded && is_register(decoded.instruction.operands[1]);
    }

    bool same_operands(std::uint32_t position) const {
        const std::uint32_t a = code_[position].instruction.operands[1];
        const std::uint32_t b = code_[position].instruction.operands[2];
        return is_register(a) && is_register(b) && values_.read(position, register_of(a)) == values_.read(position, register_of(b));
    }

    void exchange(DecodedInstruction& decoded) {
        std::swap(decoded.instruction.operands[1], decoded.instruction.operands[2]);
        if (decoded.operation == Operation::float_subtract) replace(decoded, Operation::float_subtract_from, 2);
    }

    // --- both

    const DecodedInstruction* writer(Value value) const { return value.is_merged() ? nullptr : &code_[value.writer()]; }
    Value result_of(std::uint32_t position) const { return {2 * position + 1, code_[position].access.writes[0]}; }

    void replace(DecodedInstruction& decoded, Operation operation, unsigned sources) {
        Instruction& instruction = decoded.instruction;
        decoded.operation = operation;
        Selection selection;
        selection.operation = operation;
        selection.modifiers = decoded.modifiers;
        instruction.handler = select_handler(selection);
        std::vector<std::uint32_t>& reads = decoded.access.reads;
        reads.clear();
        if (decoded.guard) reads.push_back(*decoded.guard);
        for (unsigned i = 1; i <= sources; ++i)
            if (is_register(instruction.operands[i])) reads.push_back(register_of(instruction.operands[i]));
        if (operation == Operation::move) instruction.operands[2] = instruction.operands[3] = no_operand;
    }

    std::vector<DecodedInstruction>& code_;
    std::vector<Type>& types_;
    ValueNumbering values_;
    std::vector<std::uint32_t> functions_before_;       ///< by position: number of preceding instructions that expand to branches
    std::vector<Choice> chosen_;                        ///< ascending
    std::unordered_map<std::uint32_t, Value> origins_;  ///< by position of a sign or copy
};

}  // namespace

void compile_floats(std::vector<DecodedInstruction>& code, std::vector<Type>& types, bool contract) {
    const bool contracts = contract && std::any_of(code.begin(), code.end(), is_product) && std::any_of(code.begin(), code.end(), is_sum);
    const bool orders = std::any_of(code.begin(), code.end(), [](const DecodedInstruction& decoded) {
        return has_ordered_operands(decoded) || (is_sign(decoded) && decoded.access.guarded) ||
               (is_extreme(decoded) && decoded.instruction.operands[1] == decoded.instruction.operands[2]);
    });
    if (!contracts && !orders) return;
    std::optional<ValueNumbering> values = ValueNumbering::of(code, types.size());
    if (values) FloatCompiler(code, types, std::move(*values)).compile(contracts);
}

}  // namespace cupool::ptx
