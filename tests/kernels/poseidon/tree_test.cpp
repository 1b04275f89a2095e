// Hashes, sponges and trees against permutations of states that are put together here.

#include "hashes.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

const DeviceContext host = DeviceContext::host();

template <Curve C>
Scalar in_montgomery_form(const Scalar& value) {
    return detail::ScalarField<C>::from_standard(value).montgomery();
}

template <Curve C>
std::vector<Scalar> in_montgomery_form(std::vector<Scalar> values) {
    for (Scalar& value : values) value = in_montgomery_form<C>(value);
    return values;
}

template <Curve C>
Scalar sum(const Scalar& left, const Scalar& right) {
    using Field = detail::ScalarField<C>;
    return (Field::from_standard(left) + Field::from_standard(right)).standard();
}

template <Curve C>
std::vector<Scalar> absorbed(const std::vector<Scalar>& inputs, std::size_t row_length, const Poseidon<C>& poseidon,
                             const PoseidonConfig& config = {}) {
    std::vector<Scalar> outputs(inputs.size() / row_length);
    poseidon_sponge<C>(std::span(inputs), row_length, poseidon, config, std::span(outputs));
    return outputs;
}

}  // namespace

TEST_CASE("a hash is an element of a permuted state: the tag first, or last with Poseidon2", "[kernels]") {
    constexpr Curve C = Curve::bls12_381;
    const Poseidon<C> original(PoseidonVariant::original, 4, host);
    CHECK(hashed(consecutive(5, 3), original).front() == permuted({Scalar{}, Scalar{{5}}, Scalar{{6}}, Scalar{{7}}}, original)[0]);
    const Poseidon<C> filecoin(PoseidonVariant::filecoin, 3, host);
    CHECK(hashed(consecutive(5, 2), filecoin).front() == permuted({Scalar{{3}}, Scalar{{5}}, Scalar{{6}}}, filecoin)[1]);
    const Poseidon<C> second(PoseidonVariant::poseidon2, 3, host);
    CHECK(hashed(consecutive(5, 2), second).front() == permuted({Scalar{{5}}, Scalar{{6}}, Scalar{}}, second)[0]);
    const PoseidonConfig tagged{.domain_tag = Scalar{{9, 1}}};
    CHECK(hashed(consecutive(5, 2), second, tagged).front() == permuted({Scalar{{5}}, Scalar{{6}}, Scalar{{9, 1}}}, second)[0]);
    const PoseidonConfig compression{.is_compression = true};
    CHECK(hashed(consecutive(5, 3), second, compression).front() == sum<C>(permuted(consecutive(5, 3), second)[0], Scalar{{5}}));
}

TEST_CASE("hashes take their elements from states, aligned or not", "[kernels]") {
    const Poseidon<Curve::bn254> poseidon(PoseidonVariant::original, 3, host);
    const auto expected = hashed({Scalar{{1}}, Scalar{{2}}, Scalar{{3}}, Scalar{{4}}}, poseidon);
    const Scalar unused{{77}};
    CHECK(hashed({Scalar{{1}}, Scalar{{2}}, unused, Scalar{{3}}, Scalar{{4}}, unused}, poseidon, {.input_is_a_state = true}) == expected);
    CHECK(hashed({unused, Scalar{{1}}, Scalar{{2}}, unused, Scalar{{3}}, Scalar{{4}}}, poseidon,
                 {.input_is_a_state = true, .aligned = true}) == expected);
}

TEST_CASE("a sponge absorbs its rows by permutations, with their length in the tag", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Poseidon<C> poseidon(PoseidonVariant::original, 3, host);
    std::vector<Scalar> expected;
    for (const std::uint64_t first : {1, 4}) {
        std::vector<Scalar> state = permuted({Scalar{{0, 3}}, Scalar{{first}}, Scalar{{first + 1}}}, poseidon);
        state[1] = sum<C>(state[1], Scalar{{first + 2}});
        expected.push_back(permuted(state, poseidon)[0]);
    }
    CHECK(absorbed(consecutive(1, 6), 3, poseidon) == expected);
    CHECK(absorbed(consecutive(1, 2), 2, poseidon, {.domain_tag = Scalar{}}) == hashed(consecutive(1, 2), poseidon));
    CHECK(absorbed(consecutive(1, 1), 1, poseidon) != absorbed({Scalar{{1}}, Scalar{}}, 2, poseidon));
}

TEST_CASE("elements are in standard or Montgomery form", "[kernels]") {
    constexpr Curve C = Curve::bls12_381;
    const PoseidonConfig montgomery{.is_montgomery_form = true};
    const Poseidon<C> poseidon(PoseidonVariant::poseidon2, 4, host);
    const auto inputs = any_scalars<C>(12);
    CHECK(hashed(in_montgomery_form<C>(inputs), poseidon, montgomery) == in_montgomery_form<C>(hashed(inputs, poseidon)));
    CHECK(permuted(in_montgomery_form<C>(inputs), poseidon, montgomery) == in_montgomery_form<C>(permuted(inputs, poseidon)));
}

TEST_CASE("a tree has its rows after each other, all of them or the last ones", "[kernels]") {
    constexpr Curve C = Curve::bls12_381;
    const Poseidon<C> poseidon(PoseidonVariant::filecoin, 5, host);
    const auto leaves = any_scalars<C>(64);
    std::vector<Scalar> rows;
    std::vector<Scalar> row = leaves;
    while (row.size() > 1) {
        row = hashed(row, poseidon);
        rows.insert(rows.end(), row.begin(), row.end());
    }
    CHECK(rows.size() == 16 + 4 + 1);
    CHECK(are_equal(tree(leaves, poseidon, 0), rows));
    for (const unsigned kept : {1u, 2u, 3u}) {
        const std::vector<Scalar> last(rows.end() - static_cast<std::ptrdiff_t>(poseidon_tree_size(64, 4, kept)), rows.end());
        CHECK(are_equal(tree(leaves, poseidon, kept), last));
    }
    const Poseidon<C> of_two(PoseidonVariant::poseidon2, 2, host);
    const PoseidonConfig compression{.is_compression = true};
    const auto root = hashed(hashed(consecutive(1, 4), of_two, compression), of_two, compression);
    CHECK(tree(consecutive(1, 4), of_two, 1, compression) == root);
}

TEST_CASE("what Poseidon cannot take is refused at the caller's line", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const auto checked = [](const Error& error) {
        CHECK_THAT(error.what(), contains_text(".hpp") || contains_text("tree_test.cpp"));
        return std::string(error.what());
    };
    const auto missing = [&](PoseidonVariant variant, unsigned width) {
        const Error error = error_of([&] { Poseidon<C>(variant, width, host); });
        CHECK(error.category() == ErrorCategory::unsupported);
        return checked(error);
    };
    CHECK_THAT(missing(PoseidonVariant::original, 18), contains_text("original has no width 18") && contains_text("2 to 17"));
    CHECK_THAT(missing(PoseidonVariant::original, 1), contains_text("no width 1"));
    CHECK_THAT(missing(PoseidonVariant::poseidon2, 5), contains_text("2, 3, 4 and 8"));
    CHECK_THAT(missing(PoseidonVariant::filecoin, 3), contains_text("bn254"));

    const Poseidon<C> poseidon(PoseidonVariant::original, 3, host);
    std::vector<Scalar> room(8);
    const auto refusal = [&](std::size_t inputs, std::size_t outputs, const PoseidonConfig& config = {}) {
        const std::vector<Scalar> elements(inputs);
        return checked(error_of([&] { poseidon_hash<C>(std::span(elements), poseidon, config, std::span(room).first(outputs)); }));
    };
    CHECK_THAT(refusal(3, 1), contains_text("3 inputs do not divide evenly among hashes of 2 elements"));
    CHECK_THAT(refusal(4, 1), contains_text("there are 2 outputs, but room for 1"));
    CHECK_THAT(refusal(4, 2, {.are_inputs_on_device = true}), contains_text("are_inputs_on_device is set"));
    const std::span<const Scalar> own(room);
    CHECK_THAT(checked(error_of([&] { poseidon_hash<C>(own.first(4), poseidon, {}, std::span(room).subspan(3, 2)); })),
               contains_text("overlap"));
    CHECK_THAT(checked(error_of([&] { poseidon_permute<C>(own.first(6), poseidon, {}, std::span(room).subspan(1, 6)); })),
               contains_text("overlap in part"));

    CHECK_THAT(checked(error_of([&] { absorbed(consecutive(0, 4), 4, poseidon, {.is_compression = true}); })), contains_text("has a tag"));
    CHECK_THAT(checked(error_of([&] { poseidon_sponge<C>(own, 0, poseidon, {}, std::span(room)); })), contains_text("0 elements"));
    CHECK_THAT(refusal(3, 1, {.domain_tag = Scalar{}, .is_compression = true}), contains_text("without a tag"));
    CHECK_THAT(checked(error_of([&] { tree(consecutive(0, 6), poseidon, 1); })),
               contains_text("a power of 2 leaves, at least 2, but there are 6"));
    CHECK_THAT(checked(error_of([&] { tree(consecutive(0, 1), poseidon, 0); })), contains_text("at least 2, but there are 1"));
    CHECK_THAT(checked(error_of([&] { tree(consecutive(0, 8), poseidon, 4); })), contains_text("has 3 rows"));
    CHECK_THAT(checked(error_of([&] { poseidon_tree_size(8, 1); })), contains_text("the arity of a tree is 1; it must be 2 or more"));

    Poseidon<C> moved = poseidon;
    const Poseidon<C> taken = std::move(moved);
    CHECK(error_of([&] { hashed(consecutive(0, 2), taken, {}), moved.width(); }).category() ==
          ErrorCategory::wrong_context);  // NOLINT(bugprone-use-after-move): the case
    CHECK(taken.variant() == PoseidonVariant::original);
    CHECK(taken.context().is_host());
    CHECK(hashed({}, poseidon).empty());
    CHECK(permuted({}, poseidon).empty());
}

TEST_CASE("the variants of Poseidon have names", "[kernels]") {
    CHECK(to_string(PoseidonVariant::original) == "original");
    CHECK(to_string(PoseidonVariant::filecoin) == "filecoin");
    CHECK(to_string(PoseidonVariant::poseidon2) == "poseidon2");
}
