#include "ptx/parse/opcode_table.hpp"

#include <algorithm>

#include "ptx/parse/parser.hpp"

namespace cupool::ptx {
namespace {

struct ModifierName {
    Field field;
    std::string_view name;
    std::uint8_t value;
};

template <class Value>
constexpr ModifierName name(Field field, std::string_view text, Value value) {
    return {field, text, static_cast<std::uint8_t>(value)};
}

constexpr ModifierName modifier_names[] = {
    name(Field::part, ".lo", Part::lo),
    name(Field::part, ".hi", Part::hi),
    name(Field::saturate, ".sat", true),
    name(Field::ftz, ".ftz", true),
    name(Field::carry, ".cc", true),
    name(Field::rounding, ".rn", Rounding::nearest),
    name(Field::rounding, ".rz", Rounding::zero),
    name(Field::rounding, ".rm", Rounding::down),
    name(Field::rounding, ".rp", Rounding::up),
    name(Field::integral, ".rni", Rounding::nearest),
    name(Field::integral, ".rzi", Rounding::zero),
    name(Field::integral, ".rmi", Rounding::down),
    name(Field::integral, ".rpi", Rounding::up),
    name(Field::approximate, ".approx", Approximation::approx),
    name(Field::approximate, ".full", Approximation::full),
    name(Field::comparison, ".eq", Comparison::eq),
    name(Field::comparison, ".ne", Comparison::ne),
    name(Field::comparison, ".lt", Comparison::lt),
    name(Field::comparison, ".le", Comparison::le),
    name(Field::comparison, ".gt", Comparison::gt),
    name(Field::comparison, ".ge", Comparison::ge),
    name(Field::comparison, ".lo", Comparison::lt),
    name(Field::comparison, ".ls", Comparison::le),
    name(Field::comparison, ".hi", Comparison::gt),
    name(Field::comparison, ".hs", Comparison::ge),
    name(Field::comparison, ".equ", Comparison::equ),
    name(Field::comparison, ".neu", Comparison::neu),
    name(Field::comparison, ".ltu", Comparison::ltu),
    name(Field::comparison, ".leu", Comparison::leu),
    name(Field::comparison, ".gtu", Comparison::gtu),
    name(Field::comparison, ".geu", Comparison::geu),
    name(Field::comparison, ".num", Comparison::num),
    name(Field::comparison, ".nan", Comparison::nan),
    name(Field::combine, ".and", Combine::conjunction),
    name(Field::combine, ".or", Combine::disjunction),
    name(Field::combine, ".xor", Combine::exclusive),
    name(Field::space, ".global", Space::global),
    name(Field::space, ".const", Space::constant),
    name(Field::space, ".shared", Space::shared),
    name(Field::space, ".shared::cta", Space::shared),
    name(Field::space, ".local", Space::local),
    name(Field::space, ".param", Space::parameter),
    name(Field::space, ".param::entry", Space::parameter),
    name(Field::space, ".param::func", Space::parameter),
    name(Field::to, ".to", true),
    name(Field::vector, ".v2", 2),
    name(Field::vector, ".v4", 4),
    name(Field::ordering, ".weak", Ordering::weak),
    name(Field::ordering, ".volatile", Ordering::volatile_access),
    name(Field::ordering, ".relaxed", Ordering::relaxed),
    name(Field::ordering, ".acquire", Ordering::acquire),
    name(Field::ordering, ".release", Ordering::release),
    name(Field::ordering, ".acq_rel", Ordering::acquire_release),
    name(Field::scope, ".cta", Scope::block),
    name(Field::scope, ".cluster", Scope::block),
    name(Field::scope, ".gpu", Scope::device),
    name(Field::scope, ".sys", Scope::device),
    name(Field::cache, ".ca", true),
    name(Field::cache, ".cg", true),
    name(Field::cache, ".cs", true),
    name(Field::cache, ".lu", true),
    name(Field::cache, ".cv", true),
    name(Field::cache, ".wb", true),
    name(Field::cache, ".wt", true),
    name(Field::non_coherent, ".nc", true),
    name(Field::cache, ".L1::evict_normal", true),
    name(Field::cache, ".L1::evict_unchanged", true),
    name(Field::cache, ".L1::evict_first", true),
    name(Field::cache, ".L1::evict_last", true),
    name(Field::cache, ".L1::no_allocate", true),
    name(Field::cache, ".L2::evict_normal", true),
    name(Field::cache, ".L2::evict_first", true),
    name(Field::cache, ".L2::evict_last", true),
    name(Field::cache, ".L2::64B", true),
    name(Field::cache, ".L2::128B", true),
    name(Field::cache, ".L2::256B", true),
    name(Field::atomic, ".add", AtomicOperation::add),
    name(Field::atomic, ".min", AtomicOperation::minimum),
    name(Field::atomic, ".max", AtomicOperation::maximum),
    name(Field::atomic, ".and", AtomicOperation::conjunction),
    name(Field::atomic, ".or", AtomicOperation::disjunction),
    name(Field::atomic, ".xor", AtomicOperation::exclusive),
    name(Field::atomic, ".exch", AtomicOperation::exchange),
    name(Field::atomic, ".cas", AtomicOperation::compare_exchange),
    name(Field::atomic, ".inc", AtomicOperation::increment),
    name(Field::atomic, ".dec", AtomicOperation::decrement),
    name(Field::shuffle, ".up", Shuffle::up),
    name(Field::shuffle, ".down", Shuffle::down),
    name(Field::shuffle, ".bfly", Shuffle::butterfly),
    name(Field::shuffle, ".idx", Shuffle::index),
    name(Field::vote, ".all", Vote::all),
    name(Field::vote, ".any", Vote::any),
    name(Field::vote, ".uni", Vote::uniform),
    name(Field::vote, ".ballot", Vote::ballot),
    name(Field::sync, ".sync", true),
    name(Field::shift_amount, ".shiftamt", true),
    name(Field::direction, ".l", 0),
    name(Field::direction, ".r", 1),
    name(Field::funnel, ".clamp", 0),
    name(Field::funnel, ".wrap", 1),
    name(Field::permute, ".f4e", Permute::forward4),
    name(Field::permute, ".b4e", Permute::backward4),
    name(Field::permute, ".rc8", Permute::replicate8),
    name(Field::permute, ".ecl", Permute::edge_left),
    name(Field::permute, ".ecr", Permute::edge_right),
    name(Field::permute, ".rc16", Permute::replicate16),
    name(Field::property, ".finite", Property::finite),
    name(Field::property, ".infinite", Property::infinite),
    name(Field::property, ".number", Property::number),
    name(Field::property, ".notanumber", Property::not_a_number),
    name(Field::property, ".normal", Property::normal),
    name(Field::property, ".subnormal", Property::subnormal),
    name(Field::form, ".wide", Form::wide),
    name(Field::form, ".sync", Form::sync),
    name(Field::form, ".arrive", Form::arrive),
    name(Field::form, ".red", Form::reduce),
    name(Field::form, ".warp", Form::warp),
    name(Field::form, ".any", Form::any),
    name(Field::form, ".all", Form::all),
    name(Field::form, ".idx", Form::index),
    name(Field::uniform, ".uni", true),
    name(Field::uniform, ".cta", true),
    name(Field::aligned, ".aligned", true),
    name(Field::fence, ".sc", Fence::sequential),
    name(Field::fence, ".acq_rel", Fence::acquire_release),
    name(Field::level, ".cta", Scope::block),
    name(Field::level, ".gl", Scope::device),
    name(Field::level, ".sys", Scope::device),
    name(Field::level, ".cluster", Scope::block),
    name(Field::level, ".gpu", Scope::device),
    name(Field::level, ".L1", true),
    name(Field::level, ".L2", true),
    name(Field::reduction, ".and", Reduction::conjunction),
    name(Field::reduction, ".or", Reduction::disjunction),
    name(Field::reduction, ".popc", Reduction::population),
};

constexpr ModifierSlot need(Field field) { return {field, false, 0, 0xff}; }
constexpr ModifierSlot may(Field field) { return {field, true, 0, 0xff}; }
constexpr ModifierSlot type(TypeSet types) { return {Field::type, false, types, 0xff}; }
constexpr ModifierSlot source(TypeSet types) { return {Field::source_type, false, types, 0xff}; }

template <class Value>
constexpr ModifierSlot only(Field field, Value value) {
    return {field, false, 0, static_cast<std::uint8_t>(value)};
}

constexpr TypeSet b16_64 = set_of(Type::b16, Type::b32, Type::b64);
constexpr TypeSet b32_64 = set_of(Type::b32, Type::b64);
constexpr TypeSet int16 = set_of(Type::u16, Type::s16);
constexpr TypeSet int32 = set_of(Type::u32, Type::s32);
constexpr TypeSet int64 = set_of(Type::u64, Type::s64);
constexpr TypeSet signed16_64 = set_of(Type::s16, Type::s32, Type::s64);
constexpr TypeSet int16_32 = int16 | int32;
constexpr TypeSet int32_64 = int32 | int64;
constexpr TypeSet int16_64 = int16 | int32 | int64;
constexpr TypeSet int8_64 = int16_64 | set_of(Type::u8, Type::s8);
constexpr TypeSet f32 = set_of(Type::f32);
constexpr TypeSet f64 = set_of(Type::f64);
constexpr TypeSet floats = f32 | f64;
constexpr TypeSet all16_64 = b16_64 | int16_64 | floats;
constexpr TypeSet all8_64 = all16_64 | set_of(Type::b8, Type::u8, Type::s8);
constexpr TypeSet b32 = set_of(Type::b32);
constexpr TypeSet u32 = set_of(Type::u32);
constexpr TypeSet s32 = set_of(Type::s32);
constexpr TypeSet u64 = set_of(Type::u64);
constexpr TypeSet pred = set_of(Type::pred);

using Op = Operation;

constexpr OpcodeRow rows[] = {
    {"abs", Op::absolute, "t=t", {type(signed16_64)}},
    {"abs", Op::float_absolute, "t=t", {may(Field::ftz), type(f32)}},
    {"abs", Op::float_absolute, "t=t", {type(f64)}},
    {"activemask", Op::active_mask, "t=", {type(b32)}},
    {"add", Op::add, "t=tt", {type(int16_64)}},
    {"add", Op::add_saturate, "t=tt", {need(Field::saturate), type(s32)}},
    {"add", Op::add_set_carry, "t=tt", {need(Field::carry), type(int32_64)}},
    {"add", Op::float_add, "t=tt", {may(Field::rounding), may(Field::ftz), may(Field::saturate), type(f32)}},
    {"add", Op::float_add, "t=tt", {may(Field::rounding), type(f64)}},
    {"addc", Op::add_with_carry, "t=tt", {may(Field::carry), type(int32_64)}},
    {"and", Op::bit_and, "t=tt", {type(b16_64)}},
    {"and", Op::predicate_and, "p=pp", {type(pred)}},
    {"atom",
     Op::atomic,
     "t=at",
     {may(Field::ordering), may(Field::scope), may(Field::space), need(Field::atomic), may(Field::cache),
      type(b32_64 | int32_64 | floats)}},
    {"atom",
     Op::atomic_compare_exchange,
     "t=att",
     {may(Field::ordering), may(Field::scope), may(Field::space), only(Field::atomic, AtomicOperation::compare_exchange), may(Field::cache),
      type(b32_64)}},
    {"bar", Op::barrier, "=u/u", {may(Field::uniform), only(Field::form, Form::sync)}},
    {"bar", Op::barrier_arrive, "=uu", {may(Field::uniform), only(Field::form, Form::arrive)}},
    {"bar",
     Op::barrier_reduce,
     "t=up",
     {may(Field::uniform), only(Field::form, Form::reduce), only(Field::reduction, Reduction::population), type(u32)}},
    {"bar",
     Op::barrier_reduce,
     "t=uup",
     {may(Field::uniform), only(Field::form, Form::reduce), only(Field::reduction, Reduction::population), type(u32)}},
    {"bar", Op::barrier_reduce, "p=up", {may(Field::uniform), only(Field::form, Form::reduce), need(Field::reduction), type(pred)}},
    {"bar", Op::barrier_reduce, "p=uup", {may(Field::uniform), only(Field::form, Form::reduce), need(Field::reduction), type(pred)}},
    {"bar", Op::warp_barrier, "=u", {only(Field::form, Form::warp), need(Field::sync)}},
    {"barrier", Op::barrier, "=u/u", {may(Field::uniform), only(Field::form, Form::sync), may(Field::aligned)}},
    {"barrier", Op::barrier_arrive, "=uu", {may(Field::uniform), only(Field::form, Form::arrive), may(Field::aligned)}},
    {"barrier",
     Op::barrier_reduce,
     "t=up",
     {may(Field::uniform), only(Field::form, Form::reduce), only(Field::reduction, Reduction::population), may(Field::aligned), type(u32)}},
    {"barrier",
     Op::barrier_reduce,
     "t=uup",
     {may(Field::uniform), only(Field::form, Form::reduce), only(Field::reduction, Reduction::population), may(Field::aligned), type(u32)}},
    {"barrier",
     Op::barrier_reduce,
     "p=up",
     {may(Field::uniform), only(Field::form, Form::reduce), need(Field::reduction), may(Field::aligned), type(pred)}},
    {"barrier",
     Op::barrier_reduce,
     "p=uup",
     {may(Field::uniform), only(Field::form, Form::reduce), need(Field::reduction), may(Field::aligned), type(pred)}},
    {"bfe", Op::field_extract, "t=tuu", {type(int32_64)}},
    {"bfi", Op::field_insert, "t=ttuu", {type(b32_64)}},
    {"bfind", Op::find_top_bit, "u=t", {may(Field::shift_amount), type(int32_64)}},
    {"bmsk", Op::field_mask, "t=uu", {need(Field::funnel), type(b32)}},
    {"bra", Op::branch, "=L", {may(Field::uniform)}},
    {"brev", Op::reverse_bits, "t=t", {type(b32_64)}},
    {"brx", Op::branch_indexed, "=uB", {only(Field::form, Form::index), may(Field::uniform)}},
    {"call", Op::call, "=F", {may(Field::uniform)}},
    {"call", Op::call, "=FC", {may(Field::uniform)}},
    {"call", Op::call, "C=F", {may(Field::uniform)}},
    {"call", Op::call, "C=FC", {may(Field::uniform)}},
    {"clz", Op::leading_zeros, "u=t", {type(b32_64)}},
    {"cnot", Op::logical_not, "t=t", {type(b16_64)}},
    {"copysign", Op::copy_sign, "t=tt", {type(floats)}},
    {"cos", Op::cosine, "t=t", {need(Field::approximate), may(Field::ftz), type(f32)}},
    {"cvt", Op::convert, "T=S", {may(Field::saturate), type(int8_64), source(int8_64)}},
    {"cvt", Op::convert, "T=S", {need(Field::integral), may(Field::ftz), may(Field::saturate), type(int8_64), source(floats)}},
    {"cvt", Op::convert, "T=S", {need(Field::rounding), may(Field::ftz), may(Field::saturate), type(floats), source(int8_64)}},
    {"cvt", Op::convert, "t=s", {may(Field::integral), may(Field::ftz), may(Field::saturate), type(f32), source(f32)}},
    {"cvt", Op::convert, "t=s", {may(Field::integral), may(Field::saturate), type(f64), source(f64)}},
    {"cvt", Op::convert, "t=s", {need(Field::rounding), may(Field::ftz), may(Field::saturate), type(f32), source(f64)}},
    {"cvt", Op::convert, "t=s", {may(Field::ftz), may(Field::saturate), type(f64), source(f32)}},
    {"cvta", Op::convert_address, "t=t", {need(Field::space), type(u64)}},
    {"cvta", Op::convert_address_to, "t=t", {need(Field::to), need(Field::space), type(u64)}},
    {"div", Op::divide, "t=tt", {type(int16_64)}},
    {"div", Op::float_divide, "t=tt", {need(Field::approximate), may(Field::ftz), type(f32)}},
    {"div", Op::float_divide, "t=tt", {need(Field::rounding), may(Field::ftz), type(f32)}},
    {"div", Op::float_divide, "t=tt", {need(Field::rounding), type(f64)}},
    {"dp4a", Op::dot_product4, "u=uuu", {type(int32), source(int32)}},
    {"ex2", Op::exponential2, "t=t", {need(Field::approximate), may(Field::ftz), type(f32)}},
    {"exit", Op::exit, "=", {}},
    {"fence", Op::fence, "=", {may(Field::fence), need(Field::level)}},
    {"fma", Op::float_multiply_add, "t=ttt", {need(Field::rounding), may(Field::ftz), may(Field::saturate), type(f32)}},
    {"fma", Op::float_multiply_add, "t=ttt", {need(Field::rounding), type(f64)}},
    {"isspacep", Op::is_in_space, "p=q", {need(Field::space)}},
    {"ld",
     Op::load,
     "V=a",
     {may(Field::ordering), may(Field::scope), may(Field::space), may(Field::cache), may(Field::non_coherent), may(Field::cache),
      may(Field::cache), may(Field::cache), may(Field::vector), type(all8_64)}},
    {"ldu", Op::load, "V=a", {may(Field::space), may(Field::vector), type(all8_64)}},
    {"lg2", Op::logarithm2, "t=t", {need(Field::approximate), may(Field::ftz), type(f32)}},
    {"lop3", Op::logic3, "t=ttti", {type(b32)}},
    {"mad", Op::multiply_add_low, "t=ttt", {only(Field::part, Part::lo), may(Field::carry), type(int16_64)}},
    {"mad", Op::multiply_add_high, "t=ttt", {only(Field::part, Part::hi), may(Field::carry), type(int16_64)}},
    {"mad", Op::multiply_add_high_saturate, "t=ttt", {only(Field::part, Part::hi), need(Field::saturate), type(s32)}},
    {"mad", Op::multiply_add_wide, "w=ttw", {only(Field::form, Form::wide), type(int16_32)}},
    {"mad", Op::float_multiply_add, "t=ttt", {need(Field::rounding), may(Field::ftz), may(Field::saturate), type(f32)}},
    {"mad", Op::float_multiply_add, "t=ttt", {need(Field::rounding), type(f64)}},
    {"madc", Op::multiply_add_with_carry_low, "t=ttt", {only(Field::part, Part::lo), may(Field::carry), type(int32_64)}},
    {"madc", Op::multiply_add_with_carry_high, "t=ttt", {only(Field::part, Part::hi), may(Field::carry), type(int32_64)}},
    {"match", Op::match_any, "u=tu", {only(Field::form, Form::any), need(Field::sync), type(b32_64)}},
    {"match", Op::match_all, "R=tu", {only(Field::form, Form::all), need(Field::sync), type(b32_64)}},
    {"max", Op::maximum, "t=tt", {type(int16_64)}},
    {"max", Op::float_maximum, "t=tt", {may(Field::ftz), type(f32)}},
    {"max", Op::float_maximum, "t=tt", {type(f64)}},
    {"membar", Op::sequential_fence, "=", {need(Field::level)}},
    {"min", Op::minimum, "t=tt", {type(int16_64)}},
    {"min", Op::float_minimum, "t=tt", {may(Field::ftz), type(f32)}},
    {"min", Op::float_minimum, "t=tt", {type(f64)}},
    {"mov", Op::pack, "t=v", {type(b16_64)}},
    {"mov", Op::unpack, "v=t", {type(b16_64)}},
    {"mov", Op::move, "t=t", {type(all16_64)}},
    {"mov", Op::predicate_move, "p=p", {type(pred)}},
    {"mul", Op::multiply_low, "t=tt", {only(Field::part, Part::lo), type(int16_64)}},
    {"mul", Op::multiply_high, "t=tt", {only(Field::part, Part::hi), type(int16_64)}},
    {"mul", Op::multiply_wide, "w=tt", {only(Field::form, Form::wide), type(int16_32)}},
    {"mul", Op::float_multiply, "t=tt", {may(Field::rounding), may(Field::ftz), may(Field::saturate), type(f32)}},
    {"mul", Op::float_multiply, "t=tt", {may(Field::rounding), type(f64)}},
    {"nanosleep", Op::sleep, "=u", {type(u32)}},
    {"neg", Op::negate, "t=t", {type(signed16_64)}},
    {"neg", Op::float_negate, "t=t", {may(Field::ftz), type(f32)}},
    {"neg", Op::float_negate, "t=t", {type(f64)}},
    {"not", Op::bit_not, "t=t", {type(b16_64)}},
    {"not", Op::predicate_not, "p=p", {type(pred)}},
    {"or", Op::bit_or, "t=tt", {type(b16_64)}},
    {"or", Op::predicate_or, "p=pp", {type(pred)}},
    {"pmevent", Op::nothing, "=i", {}},
    {"popc", Op::count_bits, "u=t", {type(b32_64)}},
    {"prefetch", Op::nothing, "=a", {may(Field::space), need(Field::level)}},
    {"prmt", Op::permute_bytes, "t=ttt", {type(b32), may(Field::permute)}},
    {"rcp", Op::reciprocal, "t=t", {need(Field::approximate), may(Field::ftz), type(f32)}},
    {"rcp", Op::reciprocal, "t=t", {need(Field::rounding), may(Field::ftz), type(f32)}},
    {"rcp", Op::reciprocal, "t=t", {need(Field::rounding), type(f64)}},
    {"rcp", Op::reciprocal, "t=t", {need(Field::approximate), need(Field::ftz), type(f64)}},
    {"red",
     Op::reduce,
     "=at",
     {may(Field::ordering), may(Field::scope), may(Field::space), need(Field::atomic), may(Field::cache),
      type(b32_64 | int32_64 | floats)}},
    {"redux", Op::warp_reduce, "t=tu", {need(Field::sync), need(Field::atomic), type(int32 | b32)}},
    {"rem", Op::remainder, "t=tt", {type(int16_64)}},
    {"ret", Op::return_from, "=", {may(Field::uniform)}},
    {"rsqrt", Op::reciprocal_square_root, "t=t", {need(Field::approximate), may(Field::ftz), type(floats)}},
    {"sad", Op::absolute_difference, "t=ttt", {type(int16_64)}},
    {"selp", Op::select_by_predicate, "t=ttp", {type(all16_64)}},
    {"set", Op::set_value, "t=ss", {need(Field::comparison), may(Field::ftz), type(int32 | f32), source(all16_64)}},
    {"set",
     Op::set_value_combined,
     "t=ssp",
     {need(Field::comparison), need(Field::combine), may(Field::ftz), type(int32 | f32), source(all16_64)}},
    {"setp", Op::set_predicate, "P=tt", {need(Field::comparison), may(Field::ftz), type(all16_64)}},
    {"setp", Op::set_predicate_combined, "P=ttp", {need(Field::comparison), need(Field::combine), may(Field::ftz), type(all16_64)}},
    {"shf", Op::funnel_shift, "t=ttu", {need(Field::direction), need(Field::funnel), type(b32)}},
    {"shfl", Op::shuffle, "R=uuuu", {need(Field::sync), need(Field::shuffle), type(b32)}},
    {"shl", Op::shift_left, "t=tu", {type(b16_64)}},
    {"shr", Op::shift_right, "t=tu", {type(b16_64 | int16_64)}},
    {"sin", Op::sine, "t=t", {need(Field::approximate), may(Field::ftz), type(f32)}},
    {"slct", Op::select_by_sign, "t=tts", {type(all16_64), source(s32)}},
    {"slct", Op::select_by_sign, "t=tts", {may(Field::ftz), type(all16_64), source(f32)}},
    {"sqrt", Op::square_root, "t=t", {need(Field::approximate), may(Field::ftz), type(f32)}},
    {"sqrt", Op::square_root, "t=t", {need(Field::rounding), may(Field::ftz), type(f32)}},
    {"sqrt", Op::square_root, "t=t", {need(Field::rounding), type(f64)}},
    {"st",
     Op::store,
     "=aV",
     {may(Field::ordering), may(Field::scope), may(Field::space), may(Field::cache), may(Field::cache), may(Field::cache),
      may(Field::vector), type(all8_64)}},
    {"sub", Op::subtract, "t=tt", {type(int16_64)}},
    {"sub", Op::subtract_saturate, "t=tt", {need(Field::saturate), type(s32)}},
    {"sub", Op::subtract_set_borrow, "t=tt", {need(Field::carry), type(int32_64)}},
    {"sub", Op::float_subtract, "t=tt", {may(Field::rounding), may(Field::ftz), may(Field::saturate), type(f32)}},
    {"sub", Op::float_subtract, "t=tt", {may(Field::rounding), type(f64)}},
    {"subc", Op::subtract_with_borrow, "t=tt", {may(Field::carry), type(int32_64)}},
    {"tanh", Op::hyperbolic_tangent, "t=t", {need(Field::approximate), type(f32)}},
    {"testp", Op::test_property, "p=t", {need(Field::property), type(floats)}},
    {"trap", Op::trap, "=", {}},
    {"vote", Op::vote, "p=pu", {need(Field::sync), need(Field::vote), type(pred)}},
    {"vote", Op::vote, "u=pu", {need(Field::sync), only(Field::vote, Vote::ballot), type(b32)}},
    {"vote", Op::vote, "u=pu", {only(Field::vote, Vote::ballot), need(Field::sync), type(b32)}},
    {"xor", Op::bit_xor, "t=tt", {type(b16_64)}},
    {"xor", Op::predicate_xor, "p=pp", {type(pred)}},
};

static_assert(std::is_sorted(std::begin(rows), std::end(rows), [](const OpcodeRow& a, const OpcodeRow& b) { return a.name < b.name; }));

}  // namespace

std::span<const OpcodeRow> opcode_rows() { return rows; }

std::span<const OpcodeRow> rows_of(std::string_view opcode) {
    const auto begin = std::lower_bound(std::begin(rows), std::end(rows), opcode,
                                        [](const OpcodeRow& row, std::string_view name) { return row.name < name; });
    const auto end = std::find_if(begin, std::end(rows), [&](const OpcodeRow& row) { return row.name != opcode; });
    return {begin, end};
}

std::string missing_feature(std::string_view name) {
    struct Feature {
        std::string_view prefix;
        std::string_view name;
    };
    constexpr Feature features[] = {
        {"mapa", "a cluster of blocks"},
        {"getctarank", "a cluster of blocks"},
        {"barrier.cluster", "a cluster of blocks"},
        {"%cluster", "a cluster of blocks"},
        {"%nclusterid", "a cluster of blocks"},
        {"%is_explicit_cluster", "a cluster of blocks"},
        {"griddepcontrol", "a programmatic dependent launch"},
        {"mbarrier", "an asynchronous copy or its barrier"},
        {"cp.", "an asynchronous copy or its barrier"},
        {"wmma", "a matrix unit"},
        {"mma", "a matrix unit"},
        {"wgmma", "a matrix unit"},
        {"tcgen05", "a matrix unit"},
        {"ldmatrix", "a matrix unit"},
        {"stmatrix", "a matrix unit"},
        {"tex", "a texture"},
        {"tld4", "a texture"},
        {"suld", "a surface"},
        {"sust", "a surface"},
        {"cudaLaunchDevice", "dynamic parallelism"},
        {"cudaGetParameterBuffer", "dynamic parallelism"},
        {"cudaDevice", "dynamic parallelism"},
        {"cudaStream", "dynamic parallelism"},
        {"__cudaCDP2", "dynamic parallelism"},
        {"vprintf", "printf"},
        {"__assertfail", "assert"},
        {"malloc", "the device's heap"},
        {"free", "the device's heap"},
    };
    for (const Feature& feature : features)
        if (name.starts_with(feature.prefix)) return ": " + std::string(feature.name) + " is not simulated";
    return {};
}

std::optional<std::uint8_t> modifier_value(Field field, std::string_view modifier) {
    if (field == Field::type || field == Field::source_type) {
        const std::optional<Type> named = type_named(modifier);
        return named ? std::optional(static_cast<std::uint8_t>(*named)) : std::nullopt;
    }
    for (const ModifierName& candidate : modifier_names)
        if (candidate.field == field && candidate.name == modifier) return candidate.value;
    return std::nullopt;
}

std::optional<Modifiers> match(const OpcodeRow& row, std::span<const std::string_view> modifiers) {
    Modifiers matched;
    std::size_t next = 0;
    for (const ModifierSlot& slot : row.modifiers) {
        if (slot.field == Field::count) break;
        std::optional<std::uint8_t> value = next < modifiers.size() ? modifier_value(slot.field, modifiers[next]) : std::nullopt;
        if (value && slot.types != 0 && !contains(slot.types, static_cast<Type>(*value))) value.reset();
        if (value && slot.only != 0xff && slot.only != *value) value.reset();
        if (value) {
            matched.set(slot.field, *value);
            ++next;
        } else if (!slot.optional) {
            return std::nullopt;
        }
    }
    return next == modifiers.size() ? std::optional(matched) : std::nullopt;
}

}  // namespace cupool::ptx
