#include "ptx/run/reciprocals.hpp"

#include <bit>
#include <cstdint>

namespace cupool::ptx {
namespace {

// The unit interpolates: the upper bits of the significand select a segment, and the lower bits, as x in [0, 1), give
// constant + slope x + curvature x^2, rounded down to 23 bits. The method is that of Oberman and Siu, "A High-Performance Area-Efficient
// Multifunction Interpolator" (ARITH 2005). The square is truncated: partial products below 2^-15 are omitted. The coefficients and the
// width of the square are fitted to the results of an H100 for all 2^23 significands and reproduce each of them exactly; f64 results are
// their upper 20 bits.
struct Segment {
    std::int32_t constant;  ///< in quarters of the result's last bit
    std::int32_t slope;     ///< in units of the last bit
    std::int32_t curvature;
};

constexpr Segment reciprocal_segments[128] = {
    {33554432, -131068, 1013}, {33034210, -129044, 989}, {32521990, -127066, 966}, {32017589, -125134, 945}, {31520830, -123244, 923},
    {31031544, -121398, 902},  {30549560, -119594, 883}, {30074714, -117828, 863}, {29606852, -116102, 845}, {29145822, -114414, 827},
    {28691473, -112762, 809},  {28243659, -111144, 791}, {27802245, -109562, 774}, {27367092, -108014, 758}, {26938067, -106498, 742},
    {26515042, -105014, 727},  {26097893, -103560, 711}, {25686498, -102136, 696}, {25280738, -100742, 682}, {24880498, -99376, 669},
    {24485667, -98038, 656},   {24096137, -96726, 642},  {23711799, -95442, 631},  {23332554, -94182, 618},  {22958297, -92946, 605},
    {22588934, -91736, 594},   {22224366, -90548, 582},  {21864502, -89384, 572},  {21509254, -88242, 561},  {21158529, -87120, 549},
    {20812245, -86022, 540},   {20470315, -84942, 529},  {20132661, -83884, 519},  {19799201, -82846, 510},  {19469856, -81826, 501},
    {19144555, -80824, 490},   {18823219, -79842, 482},  {18505780, -78878, 474},  {18192164, -77930, 465},  {17882305, -77000, 457},
    {17576133, -76086, 449},   {17273585, -75188, 441},  {16974597, -74306, 433},  {16679106, -73440, 426},  {16387050, -72588, 418},
    {16098371, -71752, 412},   {15813010, -70928, 403},  {15530910, -70120, 397},  {15252017, -69326, 390},  {14976273, -68544, 383},
    {14703628, -67776, 377},   {14434032, -67022, 371},  {14167429, -66280, 366},  {13903772, -65548, 358},  {13643012, -64830, 353},
    {13385102, -64124, 348},   {13129997, -63428, 341},  {12877650, -62746, 337},  {12628014, -62072, 331},  {12381048, -61410, 326},
    {12136711, -60758, 320},   {11894960, -60118, 316},  {11655753, -59486, 310},  {11419049, -58864, 305},  {11184812, -58254, 302},
    {10953004, -57652, 297},   {10723584, -57058, 291},  {10496516, -56474, 287},  {10271767, -55900, 283},  {10049298, -55334, 279},
    {9829078, -54776, 274},    {9611071, -54228, 271},   {9395243, -53686, 266},   {9181563, -53154, 263},   {8969998, -52628, 258},
    {8760518, -52112, 256},    {8553093, -51602, 251},   {8347690, -51100, 248},   {8144282, -50604, 243},   {7942838, -50116, 240},
    {7743332, -49636, 237},    {7545736, -49162, 233},   {7350021, -48696, 231},   {7156161, -48234, 226},   {6964129, -47780, 223},
    {6773901, -47334, 222},    {6585451, -46892, 218},   {6398754, -46456, 214},   {6213786, -46028, 212},   {6030523, -45604, 208},
    {5848939, -45186, 205},    {5669016, -44776, 204},   {5490727, -44368, 199},   {5314052, -43968, 197},   {5138969, -43574, 196},
    {4965456, -43184, 193},    {4793492, -42798, 189},   {4623057, -42418, 186},   {4454131, -42044, 184},   {4286691, -41674, 182},
    {4120722, -41310, 180},    {3956201, -40950, 178},   {3793111, -40594, 175},   {3631434, -40244, 173},   {3471150, -39898, 171},
    {3312241, -39556, 169},    {3154692, -39218, 166},   {2998483, -38886, 165},   {2843598, -38556, 161},   {2690020, -38232, 160},
    {2537732, -37912, 159},    {2386719, -37594, 155},   {2236964, -37282, 154},   {2088452, -36974, 153},   {1941167, -36668, 150},
    {1795096, -36368, 149},    {1650220, -36070, 147},   {1506527, -35776, 145},   {1364004, -35486, 143},   {1222632, -35200, 143},
    {1082403, -34916, 140},    {943300, -34636, 138},    {805309, -34360, 137},    {668417, -34086, 135},    {532612, -33816, 133},
    {397881, -33550, 132},     {264209, -33286, 131},    {131587, -33026, 130}};

// For significands in [1, 2), followed by those in [2, 4).
constexpr Segment square_root_segments[128] = {
    {33554431, -131062, 1508}, {33036207, -128048, 1450}, {32529809, -125150, 1396}, {32034789, -122358, 1344}, {31550730, -119670, 1296},
    {31077231, -117078, 1250}, {30613915, -114578, 1206}, {30160423, -112166, 1164}, {29716413, -109838, 1124}, {29281556, -107588, 1086},
    {28855542, -105416, 1052}, {28438081, -103314, 1016}, {28028884, -101282, 984},  {27627688, -99316, 952},   {27234229, -97412, 922},
    {26848266, -95568, 892},   {26469560, -93782, 866},   {26097893, -92052, 840},   {25733042, -90372, 814},   {25374807, -88744, 790},
    {25022988, -87164, 766},   {24677395, -85630, 744},   {24337847, -84142, 724},   {24004171, -82696, 704},   {23676199, -81290, 684},
    {23353773, -79924, 664},   {23036733, -78596, 646},   {22724934, -77304, 628},   {22418232, -76046, 610},   {22116490, -74824, 596},
    {21819574, -73632, 580},   {21527362, -72474, 566},   {21239728, -71344, 550},   {20956553, -70244, 536},   {20677720, -69172, 524},
    {20403126, -68126, 510},   {20132661, -67106, 496},   {19866222, -66112, 484},   {19603712, -65142, 472},   {19345031, -64196, 462},
    {19090094, -63272, 450},   {18838804, -62370, 440},   {18591081, -61490, 430},   {18346839, -60630, 420},   {18105997, -59790, 410},
    {17868476, -58970, 402},   {17634204, -58168, 392},   {17403102, -57382, 382},   {17175104, -56616, 374},   {16950137, -55866, 366},
    {16728137, -55132, 358},   {16509040, -54416, 352},   {16292783, -53714, 344},   {16079303, -53026, 336},   {15868543, -52354, 330},
    {15660444, -51696, 324},   {15454954, -51050, 316},   {15252017, -50418, 308},   {15051580, -49800, 302},   {14853591, -49194, 296},
    {14658002, -48600, 290},   {14464762, -48018, 286},   {14273832, -47448, 280},   {14085159, -46888, 274},   {13898699, -92674, 1066},
    {13532260, -90544, 1026},  {13174184, -88494, 986},   {12824151, -86520, 950},   {12481868, -84620, 918},   {12147054, -82786, 884},
    {11819443, -81020, 854},   {11498774, -79314, 824},   {11184812, -77668, 796},   {10877321, -76076, 768},   {10576087, -74540, 742},
    {10280895, -73054, 718},   {9991551, -71618, 696},    {9707860, -70226, 672},    {9429641, -68880, 652},    {9156727, -67578, 632},
    {8888941, -66314, 612},    {8626131, -65090, 594},    {8368146, -63904, 576},    {8114835, -62752, 558},    {7866059, -61634, 542},
    {7621689, -60550, 526},    {7381593, -59498, 512},    {7145649, -58474, 496},    {6913737, -57480, 482},    {6685744, -56514, 470},
    {6461563, -55576, 458},    {6241090, -54662, 444},    {6024217, -53774, 434},    {5810856, -52908, 420},    {5600905, -52066, 410},
    {5394281, -51246, 398},    {5190889, -50448, 390},    {4990654, -49670, 380},    {4793493, -48912, 370},    {4599324, -48172, 360},
    {4408076, -47452, 352},    {4219675, -46748, 342},    {4034052, -46062, 334},    {3851140, -45394, 326},    {3670870, -44740, 318},
    {3493183, -44102, 310},    {3318015, -43480, 304},    {3145311, -42872, 296},    {2975008, -42278, 290},    {2807056, -41698, 284},
    {2641401, -41130, 276},    {2477985, -40576, 272},    {2316765, -40034, 266},    {2157691, -39504, 260},    {2000716, -38984, 252},
    {1845791, -38478, 248},    {1692872, -37982, 244},    {1541921, -37496, 238},    {1392888, -37020, 234},    {1245742, -36554, 228},
    {1100437, -36098, 224},    {956938, -35652, 220},     {815209, -35214, 214},     {675210, -34786, 210},     {536908, -34366, 206},
    {400267, -33954, 202},     {265257, -33550, 198},     {131849, -33156, 194}};

constexpr unsigned significand_bits = 23;
constexpr unsigned product_bits = 17;  ///< extra bits below the result's last bit during interpolation
constexpr unsigned square_bits = 15;

// x^2 for x with `bits` fractional bits, in units of 2^-product_bits.
std::int64_t short_square(std::int64_t x, unsigned bits) {
    const unsigned lowest = 2 * bits - square_bits;
    std::int64_t sum = 0;
    for (unsigned i = 0; i < bits; ++i) {
        if ((x >> i & 1) == 0) continue;
        if (2 * i >= lowest) sum += std::int64_t{1} << 2 * i;
        const unsigned first = i + 1 + i + 1 >= lowest ? i + 1 : lowest - 1 - i;
        sum += x >> first << (first + i + 1);
    }
    return sum >> (2 * bits - product_bits);
}

// The 23 significand bits of the result, with one more bit above them if it is a power of two.
std::uint32_t interpolate(const Segment* segments, std::uint32_t significand, unsigned bits, std::int64_t bias) {
    const Segment& segment = segments[significand >> bits];
    const std::int64_t x = significand & ((1u << bits) - 1);
    const std::int64_t sum = std::int64_t{segment.constant} * (1 << (product_bits - 2)) + bias +
                             segment.slope * x * (1 << (product_bits - bits)) + segment.curvature * short_square(x, bits);
    return static_cast<std::uint32_t>(sum >> product_bits);
}

// 2^23 (2 / (1 + s/2^23) - 1), for s > 0.
std::uint32_t reciprocal_of(std::uint32_t s) { return interpolate(reciprocal_segments, s, 16, 8092); }

// 2^23 (2 / sqrt(k (1 + s/2^23)) - 1), where k is 1 or 2, for k = 2 or s > 0.
std::uint32_t reciprocal_square_root_of(std::uint32_t s, bool doubled) {
    return interpolate(square_root_segments + (doubled ? 64 : 0), s, 17, -1);
}

/// Field layout of a number in the 32 bits that the unit reads.
template <unsigned fraction_bits_, unsigned exponent_bits>
struct Layout {
    using Word = std::uint32_t;
    static constexpr unsigned fraction_bits = fraction_bits_;
    static constexpr unsigned unseen_bits = significand_bits - fraction_bits;
    static constexpr int top = (1 << exponent_bits) - 1;  ///< exponent field of infinity
    static constexpr int bias = top / 2;
    static constexpr Word nan = 0x7fffffff;

    static int exponent(Word word) { return static_cast<int>(word >> fraction_bits & static_cast<Word>(top)); }
    static Word fraction(Word word) { return word & ((Word{1} << fraction_bits) - 1); }
    static Word sign(Word word) { return word & 0x80000000; }
    static Word infinity(Word sign) { return sign | static_cast<Word>(top) << fraction_bits; }
    static Word number(Word sign, int exponent, std::uint32_t significand) {
        return exponent <= 0 ? sign : sign | static_cast<Word>(exponent) << fraction_bits | significand >> unseen_bits;
    }
};
using WholeFloat = Layout<23, 8>;
using UpperHalf = Layout<20, 11>;  ///< of an f64

template <class L>
std::uint32_t reciprocal(std::uint32_t word) {
    const int exponent = L::exponent(word);
    const std::uint32_t fraction = L::fraction(word);
    if (exponent == L::top) return fraction != 0 ? L::nan : L::sign(word);
    if (exponent == 0) return L::infinity(L::sign(word));
    if (fraction == 0) return L::number(L::sign(word), 2 * L::bias - exponent, 0);
    return L::number(L::sign(word), 2 * L::bias - 1 - exponent, reciprocal_of(fraction << L::unseen_bits));
}

template <class L>
std::uint32_t reciprocal_square_root(std::uint32_t word) {
    const int exponent = L::exponent(word);
    const std::uint32_t fraction = L::fraction(word);
    if (exponent == 0) return L::infinity(L::sign(word));
    if ((exponent == L::top && fraction != 0) || L::sign(word) != 0) return L::nan;
    if (exponent == L::top) return 0;
    const bool doubled = ((exponent - L::bias) & 1) != 0;
    const int half = (exponent - L::bias - (doubled ? 1 : 0)) / 2;
    if (fraction == 0 && !doubled) return L::number(0, L::bias - half, 0);
    return L::number(0, L::bias - 1 - half, reciprocal_square_root_of(fraction << L::unseen_bits, doubled));
}

std::uint32_t upper_half(double x) { return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32); }
double with_upper_half(std::uint32_t word) { return std::bit_cast<double>(std::uint64_t{word} << 32); }

}  // namespace

float unit_reciprocal(float x) { return std::bit_cast<float>(reciprocal<WholeFloat>(std::bit_cast<std::uint32_t>(x))); }

double unit_reciprocal(double x) { return with_upper_half(reciprocal<UpperHalf>(upper_half(x))); }

float unit_reciprocal_square_root(float x) {
    return std::bit_cast<float>(reciprocal_square_root<WholeFloat>(std::bit_cast<std::uint32_t>(x)));
}

double unit_reciprocal_square_root(double x) { return with_upper_half(reciprocal_square_root<UpperHalf>(upper_half(x))); }

}  // namespace cupool::ptx
