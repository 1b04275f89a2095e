// What others publish, and other implementations compute.

#include <fstream>

#include "hashes.hpp"
#include "test_data.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

const DeviceContext host = DeviceContext::host();

template <Curve C>
Poseidon<C> on_host(PoseidonVariant variant, unsigned width) {
    return Poseidon<C>(variant, width, host);
}

/// The elements of a line [0x..., 0x...] of the reference's file of vectors.
std::vector<Scalar> read_scalars(const std::string& line) {
    std::vector<Scalar> scalars;
    for (std::size_t begin = line.find("0x"); begin != std::string::npos; begin = line.find("0x", begin + 1)) {
        scalars.push_back(scalar(line.substr(begin, line.find('\'', begin) - begin)));
    }
    return scalars;
}

}  // namespace

TEST_CASE("Poseidon's permutation gives the reference's vectors", "[kernels]") {
    CUPOOL_TEST_DATA_OR_SKIP(path, "poseidon/test_vectors.txt");
    std::ifstream file(path);
    unsigned checked = 0;
    for (std::string name, label, inputs, outputs; std::getline(file, name);) {
        if (!name.starts_with("# poseidonperm_x5_")) continue;
        REQUIRE(std::getline(std::getline(std::getline(std::getline(file, label), inputs), label), outputs));
        const std::vector<Scalar> state = read_scalars(inputs);
        const auto width = static_cast<unsigned>(state.size());
        const bool is_bn254 = name.find("x5_254") != std::string::npos;
        const std::vector<Scalar> result = is_bn254 ? permuted(state, on_host<Curve::bn254>(PoseidonVariant::original, width))
                                                    : permuted(state, on_host<Curve::bls12_381>(PoseidonVariant::original, width));
        CHECK(result == read_scalars(outputs));
        ++checked;
    }
    CHECK(checked == 4);
}

TEST_CASE("Poseidon hashes 1, 2, ... as circomlibjs 0.1.7 does, in all widths", "[kernels]") {
    const char* const digests[] = {"29176100eaa962bdc1fe6c654d6a3c130e96a4d1168b33848b897dc502820133",
                                   "115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a",
                                   "e7732d89e6939c0ff03d5e58dab6302f3230e269dc5b968f725df34ab36d732",
                                   "299c867db6c1fdd79dcefa40e4510b9837e60ebb1ce0663dbaa525df65250465",
                                   "dab9449e4a1398a15224c0b15a49d598b2174d305a316c918125f8feeb123c0",
                                   "2d1a03850084442813c8ebf094dea47538490a68b05f2239134a4cca2f6302e1",
                                   "1c2f3482dbb140c4ebb9ada49abdbc374a9a85fcfc6533ec2e9df45b4921c318",
                                   "2921ab9bd0140cbc98e40395c0fefb40337a4d54fbbecd9a4d43b3d8d0c4d8d1",
                                   "1e0b893aa2ad802275e749d260330b7675b22bb3aaa4461d204af32e60cd9078",
                                   "816126a09c29ecfcc0628461dacfb9459816fc60d6738b78db9ad07206fdc21",
                                   "7e5b070aa2dba008f30a6b785b6c5ae2429e211f71cacdbdae0e07fc05b47a8",
                                   "58814945232937db248a01e7cc55b3d681cc08702c8168494e856c1ef7693b5",
                                   "f918939632fadca6456a2fe6e65a124828d4c3920d379cc744e90a666887806",
                                   "1278779aaafc5ca58bf573151005830cdb4683fb26591c85a7464d4f0e527776",
                                   "94ae33b67a845998abb55e917642d4022d078d96f7c36ea11da4273ecf20f50",
                                   "16159a551cbb66108281a48099fff949ae08afd7f1f2ec06de2ffb96b919b765"};
    for (unsigned width = 2; width <= 17; ++width) {
        const auto poseidon = on_host<Curve::bn254>(PoseidonVariant::original, width);
        CHECK(hashed(consecutive(1, width - 1), poseidon) == std::vector{scalar(digests[width - 2])});
    }
}

TEST_CASE("a Merkle tree has the root that circomlibjs 0.1.7 computes", "[kernels]") {
    const auto poseidon = on_host<Curve::bn254>(PoseidonVariant::original, 3);
    CHECK(tree(consecutive(1, 8), poseidon, 1).back() == scalar("2057f9fa34cbdc2664d96ba53ade5d0511262b98f56953039be24ee92f9a7677"));
}

TEST_CASE("Filecoin's Poseidon hashes 0, 1, ... as neptune's tests have it", "[kernels]") {
    const auto digest = [](unsigned width) {
        return hashed(consecutive(0, width - 1), on_host<Curve::bls12_381>(PoseidonVariant::filecoin, width)).front();
    };
    CHECK(digest(3) == Scalar{{0x2e203c369a02e7ff, 0xa6fba9339d05a69d, 0x739e0fd902efe161, 0x396508d75e76a56b}});
    CHECK(digest(5) == Scalar{{0x019814ff6662075d, 0xfb6b4605bf1327ec, 0x00db3c6579229399, 0x58a54b10a9e5848a}});
    CHECK(digest(9) == Scalar{{0x2a9934f56d38a5e6, 0x4b682e9d9cc4aed9, 0x1201004211677077, 0x2394611da3a5de55}});
    CHECK(digest(12) == Scalar{{0xcee3bbc32b693163, 0x09f3dcd8ccb08fc1, 0x6ca537e232ebe87a, 0x0c0fc1b2e5227f28}});
}

// Horizen Labs' tests have widths 2 and 3, barretenberg's 4 and others 8 over BN254; Horizen Labs' 2, 3 and 4 over BLS12-381. The
// permutation of width 8 over BLS12-381 is that of another implementation of the script that makes the constants.
TEST_CASE("Poseidon2's permutation of 0, 1, ... gives the published vectors", "[kernels]") {
    struct Vector {
        unsigned width;
        const char* first;
        const char* last;
    };
    const Vector bn254_vectors[] = {{2, "1d01e56f49579cec72319e145f06f6177f6c5253206e78c2689781452a31878b",
                                     "0d189ec589c41b8cffa88cfc523618a055abe8192c70f75aa72fc514560f6c61"},
                                    {3, "0bb61d24daca55eebcb1929a82650f328134334da98ea4f847f760054f4a3033",
                                     "1ed25194542b12eef8617361c3ba7c52e660b145994427cc86296242cf766ec8"},
                                    {4, "01bd538c2ee014ed5141b29e9ae240bf8db3fe5b9a38629a9647cf8d76c01737",
                                     "2e11c5cff2a22c64d01304b778d78f6998eff1ab73163a35603f54794c30847a"},
                                    {8, "1d1a50bcde871247856df135d56a4ca61af575f1140ed9b1503c77528cf345df",
                                     "0b19bfa00c8f1d505074130e7f8b49a8624b1905e280ceca5ba11099b081b265"}};
    const Vector bls12_381_vectors[] = {{2, "73c46dd530e248a87b61d19e67fa1b4ed30fc3d09f16531fe189fb945a15ce4e",
                                         "1f0e305ee21c9366d5793b80251405032a3fee32b9dd0b5f4578262891b043b4"},
                                        {3, "1b152349b1950b6a8ca75ee4407b6e26ca5cca5650534e56ef3fd45761fbf5f0",
                                         "1fc8ed171e67902ca49863159fe5ba6325318843d13976143b8125f08b50dc6b"},
                                        {4, "28ff6c4edf9768c08ae26290487e93449cc8bc155fc2fad92a344adceb3ada6d",
                                         "07cfb49540ee456cce38b8a7d1a930a57ffc6660737f6589ef184c5e15334e36"},
                                        {8, "638a70e5a395c4473b2545d6cbb088d46587ddc9e1b2cff26d283d7c5557fd44",
                                         "31c246341ba23ed834987fa8494c7118a83ca625186525227758d7ee89421a48"}};
    const auto check = [](const Vector& vector, const std::vector<Scalar>& result) {
        CHECK(result.front() == scalar(vector.first));
        CHECK(result.back() == scalar(vector.last));
    };
    for (const Vector& vector : bn254_vectors)
        check(vector, permuted(consecutive(0, vector.width), on_host<Curve::bn254>(PoseidonVariant::poseidon2, vector.width)));
    for (const Vector& vector : bls12_381_vectors)
        check(vector, permuted(consecutive(0, vector.width), on_host<Curve::bls12_381>(PoseidonVariant::poseidon2, vector.width)));
}

TEST_CASE("Poseidon2 compresses two elements, and hashes them with a tag of 0, as Soroban's programs do", "[kernels]") {
    const auto of_two = on_host<Curve::bn254>(PoseidonVariant::poseidon2, 2);
    const PoseidonConfig compression{.is_compression = true};
    CHECK(hashed(consecutive(1, 2), of_two, compression).front() ==
          scalar("0e90c132311e864e0c8bca37976f28579a2dd9436bbc11326e21ec7c00cea5b3"));
    CHECK(hashed({Scalar{{7}}, Scalar{{11}}}, of_two, compression).front() ==
          scalar("0960972bcfa9d858be6a1cca2c850d2eb0e5df1ad309192beeb95f8be328945f"));
    CHECK(hashed(consecutive(1, 1), of_two).front() == scalar("09546fe32f579f77c33ffb629a91ed18c4594804519846d143d3c1ba79b04d54"));
    const auto of_three = on_host<Curve::bn254>(PoseidonVariant::poseidon2, 3);
    CHECK(hashed(consecutive(1, 2), of_three).front() == scalar("2afac3bdc3663b71eefeecdf21b147d0ba7dd7a169a7757c05ed6bfb065bffd2"));
}
