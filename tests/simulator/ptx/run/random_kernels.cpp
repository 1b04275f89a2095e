#include "random_kernels.hpp"

#include <cstdio>
#include <random>
#include <string_view>

namespace cupool::ptx::test {
namespace {

// Kinds of registers, as the letters of OpcodeCase: h 16 bits, w 32, l 64, f f32, d f64, p predicate.
struct Bank {
    char kind;
    const char* prefix;
    unsigned count;
    unsigned bytes;
    const char* type;
};
constexpr Bank banks[] = {
    {'l', "%l", 8, 8, "b64"}, {'d', "%d", 6, 8, "f64"}, {'w', "%w", 10, 4, "b32"},
    {'f', "%f", 8, 4, "f32"}, {'h', "%h", 6, 2, "b16"}, {'p', "%p", 4, 1, "pred"},
};

// A form of an instruction: its operands' kinds, the destination's first, and its opcode, in which `{a|b}` stands for either.
// Immediate numbers may replace operands in upper case. An `i` is a number from 0 to 255, a `j` a
// register or a number below 32.
//
// Forms in which ptxas 13.0 deviates from the PTX manual, or from itself, are omitted (docs/simulator.md lists them).
struct Form {
    unsigned weight;
    std::string_view operands;
    std::string_view opcode;
};

constexpr Form forms[] = {
    {3, "hhH", "{add|sub|mul.lo|mul.hi|min|max}.{u16|s16}"},
    {6, "wwW", "{add|sub|mul.lo|mul.hi|min|max}.{u32|s32}"},
    {6, "llL", "{add|sub|mul.lo|mul.hi|min|max}.{u64|s64}"},
    {1, "wwW", "{add|sub}.sat.s32"},
    {1, "hhH", "{div|rem}.{u16|s16}"},
    {1, "wwW", "{div|rem}.{u32|s32}"},
    {1, "hhhh", "mad.{lo|hi}.{u16|s16}"},
    {3, "wwww", "mad.{lo|hi}.{u32|s32}"},
    {3, "llll", "mad.{lo|hi}.{u64|s64}"},
    {1, "wwww", "mad.hi.sat.s32"},
    {2, "whH", "mul.wide.{u16|s16}"},
    {2, "lwW", "mul.wide.{u32|s32}"},
    {2, "whhw", "mad.wide.{u16|s16}"},
    {2, "lwwl", "mad.wide.{u32|s32}"},
    {2, "ww", "{neg|abs}.s32"},
    {2, "ll", "{neg|abs}.s64"},
    {1, "hhhh", "sad.{u16|s16}"},
    {1, "wwww", "sad.{u32|s32}"},
    {1, "llll", "sad.{u64|s64}"},
    {1, "wwww", "dp4a.{u32|s32}.{u32|s32}"},
    {2, "hhH", "{and|or|xor}.b16"},
    {4, "wwW", "{and|or|xor}.b32"},
    {4, "llL", "{and|or|xor}.b64"},
    {1, "hh", "{not|cnot}.b16"},
    {1, "ww", "{not|cnot}.b32"},
    {1, "ll", "{not|cnot}.b64"},
    {3, "wwW", "{shl.b32|shr.u32|shr.s32}"},
    {3, "llW", "{shl.b64|shr.u64|shr.s64}"},
    {2, "wwwW", "shf.{l|r}.{clamp|wrap}.b32"},
    {3, "wwwwi", "lop3.b32"},
    {2, "wwwW", "prmt.b32{|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16}"},
    {2, "wwjj", "bfe.{u32|s32}"},
    {2, "lljj", "bfe.{u64|s64}"},
    {2, "wwwjj", "bfi.b32"},
    {2, "llljj", "bfi.b64"},
    {1, "wWW", "bmsk.{clamp|wrap}.b32"},
    {1, "ww", "bfind{|.shiftamt}.{u32|s32}"},
    {1, "wl", "bfind{|.shiftamt}.{u64|s64}"},
    {1, "ww", "{brev|popc|clz}.b32"},
    {1, "ll", "brev.b64"},
    {1, "wl", "{popc|clz}.b64"},
    {1, "hhhp", "selp.b16"},
    {2, "wwwp", "selp.b32"},
    {2, "lllp", "selp.b64"},
    {1, "wwww", "slct.b32.s32"},
    {1, "wwwf", "slct{.b32|.ftz.b32}.f32"},
    {1, "phH", "setp.{eq|ne|lt|le|gt|ge}.{u16|s16}"},
    {2, "pwW", "setp.{eq|ne|lt|le|gt|ge}.{u32|s32}"},
    {2, "plL", "setp.{eq|ne|lt|le|gt|ge}.{u64|s64}"},
    {2, "pff", "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{|.ftz}.f32"},
    {2, "pdd", "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.f64"},
    {1, "pwwp", "setp.{eq|ne|lt|le|gt|ge}.{and|or|xor}.s32"},
    {1, "pffp", "setp.{eq|lt|gtu|nan}.{and|or|xor}.f32"},
    {1, "www", "set.{eq|ne|lt|ge}.{u32|s32}.u32"},
    {1, "wff", "set.{eq|ltu|nan}.{u32|s32}.f32"},
    {1, "ppp", "{and|or|xor}.pred"},
    {1, "pp", "not.pred"},
    {1, "ww", "mov.b32"},
    {1, "dd", "mov.f64"},
    {1, "wf", "mov.b32"},
    {1, "fw", "mov.b32"},
    {1, "ld", "mov.b64"},
    {1, "dl", "mov.b64"},
    {4, "fff", "{add|sub|mul}.{rn|rz|rm|rp}{|.ftz}{|.sat}.f32"},
    {6, "ddd", "{add|sub|mul}.{rn|rz|rm|rp}.f64"},
    {4, "ffff", "fma.{rn|rz|rm|rp}{|.ftz}{|.sat}.f32"},
    {6, "dddd", "fma.{rn|rz|rm|rp}.f64"},
    {1, "fff", "div.{rn|rz|rm|rp}{|.ftz}.f32"},
    {1, "ddd", "div.{rn|rz|rm|rp}.f64"},
    {1, "ff", "{rcp|sqrt}.{rn|rz|rm|rp}{|.ftz}.f32"},
    {1, "dd", "{rcp|sqrt}.{rn|rz|rm|rp}.f64"},
    {3, "fff", "{min|max}{|.ftz}.f32"},
    {3, "ddd", "{min|max}.f64"},
    {2, "ff", "{neg|abs}{|.ftz}.f32"},
    {3, "dd", "{neg|abs}.f64"},
    {1, "pf", "testp.{finite|infinite|number|notanumber|normal|subnormal}.f32"},
    {1, "pd", "testp.{finite|infinite|number|notanumber|normal|subnormal}.f64"},
    {1, "ww", "cvt.{u32|s32}.{u8|s8|u16|s16}"},
    {1, "lw", "cvt.{u64|s64}.{u32|s32|u8|s16}"},
    {1, "wl", "cvt.{u32.u64|u32.s64|s32.u64|s32.s64}"},
    {1, "hw", "cvt.{u16.u32|u16.s32|s16.u32|s16.s32}"},
    {1, "wh", "cvt.{u32|s32}.{u16|s16}"},
    {1, "wf", "cvt.{rni|rzi|rmi|rpi}{|.ftz}.{u32|s32|u16|s8}.f32"},
    {1, "wd", "cvt.{rni|rzi|rmi|rpi}.{u32|s32|u16|s8}.f64"},
    {1, "lf", "cvt.{rni|rzi|rmi|rpi}{|.ftz}.{u64|s64}.f32"},
    {1, "ld", "cvt.{rni|rzi|rmi|rpi}.{u64|s64}.f64"},
    {1, "fw", "cvt.{rn|rz|rm|rp}.f32.{u32|s32}"},
    {1, "dw", "cvt.rn.f64.{u32|s32}"},
    {1, "fl", "cvt.{rn|rz|rm|rp}.f32.{u64|s64}"},
    {1, "dl", "cvt.{rn|rz|rm|rp}.f64.{u64|s64}"},
    {1, "ff", "cvt.{rni|rzi|rmi|rpi}{|.ftz}{|.sat}.f32.f32"},
    {1, "dd", "cvt.{rni|rzi|rmi|rpi}.f64.f64"},
    {2, "fd", "cvt.{rn|rz|rm|rp}{|.ftz}.f32.f64"},
    {2, "df", "cvt{|.ftz}.f64.f32"},
};

constexpr Form unrounded_forms[] = {
    {4, "fff", "{add|sub|mul}{|.ftz}.f32"},
    {1, "fff", "{add|sub|mul}{|.ftz}.sat.f32"},
    {5, "ddd", "{add|sub|mul}.f64"},
};

// A chain linked by the carry flag: the first instruction sets it, the last need not.
constexpr Form carry_begins[] = {{3, "www", "{add|sub}.cc.{u32|s32}"},
                                 {2, "lll", "{add|sub}.cc.{u64|s64}"},
                                 {2, "wwww", "mad.{lo|hi}.cc.{u32|s32}"},
                                 {1, "llll", "mad.{lo|hi}.cc.{u64|s64}"}};
constexpr Form carry_goes_on[] = {{3, "www", "{addc|subc}.cc.{u32|s32}"},
                                  {2, "lll", "{addc|subc}.cc.{u64|s64}"},
                                  {2, "wwww", "madc.{lo|hi}.cc.{u32|s32}"},
                                  {1, "llll", "madc.{lo|hi}.cc.{u64|s64}"}};
constexpr Form carry_ends[] = {{3, "www", "{addc|subc}.{u32|s32}"},
                               {2, "lll", "{addc|subc}.{u64|s64}"},
                               {2, "wwww", "madc.{lo|hi}.{u32|s32}"},
                               {1, "llll", "madc.{lo|hi}.{u64|s64}"}};

constexpr std::uint64_t edges_f64[] = {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff8000000000000, 0x0000000000000001,
                                       0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
                                       0x7ff8000000000000, 0xfff8000000001234, 0x7ff4000000005678, 0xfff0000000000001, 0x7fffffffffffffff,
                                       0x41e0000000000000, 0xc3e0000000000000, 0x43f0000000000000};
constexpr std::uint32_t edges_f32[] = {0x00000000, 0x80000000, 0x3f800000, 0xbfc00000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
                                       0x7f800000, 0xff800000, 0x7fffffff, 0xffc12345, 0x7f812345, 0x4f000000, 0xdf000000, 0x4b000001};
constexpr std::uint64_t edges_integer[] = {0,
                                           1,
                                           2,
                                           31,
                                           32,
                                           33,
                                           63,
                                           64,
                                           255,
                                           0x7fff,
                                           0x8000,
                                           0xffff,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0x100000000,
                                           0x7fffffffffffffff,
                                           0x8000000000000000,
                                           0xffffffffffffffff};

class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15 + 1) {}

    std::uint64_t bits() { return random_(); }
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

    template <class T, std::size_t count>
    const T& of(const T (&list)[count]) {
        return list[below(count)];
    }

    template <std::size_t count>
    const Form& by_weight(const Form (&list)[count]) {
        std::uint64_t total = 0;
        for (const Form& form : list) total += form.weight;
        std::uint64_t rest = below(total);
        const Form* form = list;
        while (rest >= form->weight) rest -= (form++)->weight;
        return *form;
    }

    // Similar exponents, so that sums round, or arbitrary bits.
    std::uint64_t number(char kind) {
        const std::uint64_t choice = below(4);
        switch (kind) {
            case 'd':
                if (choice == 0) return of(edges_f64);
                if (choice == 1) return bits();
                return with_exponent(bits() & 0x800fffffffffffff, 0x3ff0000000000000, 64, 52);
            case 'f':
                if (choice == 0) return of(edges_f32);
                if (choice == 1) return bits() & 0xffffffff;
                return with_exponent(bits() & 0x807fffff, 0x3f800000, 32, 23);
            default: return choice < 2 ? of(edges_integer) : bits();
        }
    }

private:
    /// Of `count` exponents from that of `one` up.
    std::uint64_t with_exponent(std::uint64_t sign_and_fraction, std::uint64_t one, std::uint64_t count, unsigned fraction_bits) {
        return sign_and_fraction | (one + (below(count) << fraction_bits));
    }

    std::mt19937_64 random_;
};

std::string chosen(Draw& draw, std::string_view opcode) {
    std::string text;
    while (!opcode.empty()) {
        const std::size_t open = opcode.find('{');
        text += opcode.substr(0, open);
        if (open == std::string_view::npos) break;
        const std::size_t close = opcode.find('}', open);
        std::string_view list = opcode.substr(open + 1, close - open - 1);
        opcode.remove_prefix(close + 1);
        std::size_t alternatives = 1;
        for (const char c : list) alternatives += c == '|';
        for (std::uint64_t skip = draw.below(alternatives); skip != 0; --skip) list.remove_prefix(list.find('|') + 1);
        text += list.substr(0, list.find('|'));
    }
    return text;
}

const Bank& bank_of(char kind) {
    const Bank* bank = banks;
    while (bank->kind != kind) ++bank;
    return *bank;
}

std::string a_register(Draw& draw, char kind) {
    const Bank& bank = bank_of(kind);
    return bank.prefix + std::to_string(draw.below(bank.count));
}

std::string formatted(const char* format, std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(value));
    return text;
}

std::string operand(Draw& draw, char letter, RandomFamily family) {
    if (letter == 'i') return std::to_string(draw.below(256));
    if (letter == 'j') return draw.one_in(4) ? std::to_string(draw.below(32)) : a_register(draw, 'w');
    const bool may_be_number = letter >= 'A' && letter <= 'Z';
    const char kind = may_be_number ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (may_be_number && draw.one_in(4)) {
        const std::uint64_t value = draw.number(kind);
        return kind == 'h'   ? formatted("%llu", value & 0xffff)
               : kind == 'w' ? formatted("%llu", value & 0xffffffff)
                             : formatted("0x%llx", value);
    }
    if (family == RandomFamily::constants && (kind == 'f' || kind == 'd') && draw.one_in(6))
        return formatted(kind == 'f' ? "0f%08llx" : "0d%016llx", draw.number(kind));
    return a_register(draw, kind);
}

std::string instruction(Draw& draw, const Form& form, RandomFamily family) {
    // One draw per statement, here and below, since the evaluation order of the operands of + is unspecified.
    const std::string destination = a_register(draw, form.operands[0]);
    std::string text = chosen(draw, form.opcode) + ' ' + destination;
    for (const char letter : form.operands.substr(1)) text += ", " + operand(draw, letter, family);
    return text + ';';
}

std::string guarded(Draw& draw, const std::string& text) {
    if (text.starts_with("testp")) return text;  // whose guard ptxas loses
    if (!draw.one_in(12)) return text;
    const std::string guard = a_register(draw, 'p');
    return (draw.one_in(2) ? "@" : "@!") + guard + ' ' + text;
}

void add_carry_group(Draw& draw, std::vector<std::string>& code) {
    code.push_back(instruction(draw, draw.by_weight(carry_begins), RandomFamily::plain));
    for (std::uint64_t i = draw.below(3); i != 0; --i)
        code.push_back(instruction(draw, draw.by_weight(carry_goes_on), RandomFamily::plain));
    code.push_back(instruction(draw, draw.by_weight(carry_ends), RandomFamily::plain));
}

void add_plain(Draw& draw, RandomFamily family, std::vector<std::string>& code) {
    const bool unrounded = family == RandomFamily::unrounded && draw.one_in(3);
    code.push_back(guarded(draw, instruction(draw, unrounded ? draw.by_weight(unrounded_forms) : draw.by_weight(forms), family)));
}

// if (p) { ... } else { ... }, the latter perhaps missing.
void add_branch(Draw& draw, RandomFamily family, unsigned number, std::vector<std::string>& code) {
    const std::string otherwise = "ELSE" + std::to_string(number);
    const std::string end = "END" + std::to_string(number);
    const bool has_else = draw.one_in(2);
    code.push_back("@" + a_register(draw, 'p') + " bra " + (has_else ? otherwise : end) + ';');
    for (std::uint64_t i = 1 + draw.below(4); i != 0; --i) add_plain(draw, family, code);
    if (has_else) {
        code.push_back("bra " + end + ';');
        code.push_back(otherwise + ':');
        for (std::uint64_t i = 1 + draw.below(4); i != 0; --i) add_plain(draw, family, code);
    }
    code.push_back(end + ':');
}

constexpr std::uint64_t empty_hash = 0xcbf29ce484222325;

std::uint64_t fnv1a(std::uint64_t hash, const unsigned char* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

}  // namespace

RandomFamily family_of(std::uint64_t seed) { return static_cast<RandomFamily>(seed % random_families); }

RandomKernel random_kernel(std::uint64_t seed) {
    Draw draw(seed);
    const RandomFamily family = family_of(seed);
    RandomKernel kernel{seed, {}};
    unsigned branches = 0;
    const std::size_t length = 40 + draw.below(40);
    while (kernel.instructions.size() < length) {
        const std::uint64_t choice = draw.below(16);
        if (choice == 0) {
            add_carry_group(draw, kernel.instructions);
        } else if (choice == 1 && family == RandomFamily::branches) {
            add_branch(draw, family, branches++, kernel.instructions);
        } else {
            add_plain(draw, family, kernel.instructions);
        }
    }
    return kernel;
}

const std::vector<StoredRegister>& stored_registers() {
    static const std::vector<StoredRegister> all = [] {
        std::vector<StoredRegister> list;
        unsigned offset = 0;
        for (const Bank& bank : banks) {
            for (unsigned i = 0; i < bank.count; ++i) {
                list.push_back({bank.prefix + std::to_string(i), offset, bank.bytes});
                offset += bank.bytes;
            }
        }
        return list;
    }();
    return all;
}

std::string random_module_head() { return ".version 7.8\n.target sm_80\n.address_size 64\n"; }

std::string random_entry(const RandomKernel& kernel, const std::string& name, std::size_t count) {
    std::string text = ".visible .entry " + name + "(.param .u64 input, .param .u64 output)\n{\n";
    text += ".reg .b64 %in, %out, %offset;\n.reg .b32 %thread, %flag;\n";
    for (const Bank& bank : banks)
        text += std::string(".reg .") + bank.type + ' ' + bank.prefix + '<' + std::to_string(bank.count) + ">;\n";
    text += "ld.param.u64 %in, [input];\nld.param.u64 %out, [output];\nmov.u32 %thread, %tid.x;\n";
    text += "mul.wide.u32 %offset, %thread, " + std::to_string(random_thread_bytes) + ";\n";
    text += "add.u64 %in, %in, %offset;\nadd.u64 %out, %out, %offset;\n";
    for (const StoredRegister& reg : stored_registers()) {
        const std::string address = "[%in+" + std::to_string(reg.offset) + "];\n";
        if (reg.bytes == 1)
            text += "ld.global.u8 %flag, " + address + "and.b32 %flag, %flag, 1;\nsetp.ne.u32 " + reg.name + ", %flag, 0;\n";
        else
            text += std::string("ld.global.") + bank_of(reg.name[1]).type + ' ' + reg.name + ", " + address;
    }
    for (std::size_t i = 0; i < count; ++i) text += kernel.instructions[i] + '\n';
    // The labels after the end of the selected instructions.
    for (std::size_t i = count; i < kernel.instructions.size(); ++i)
        if (kernel.instructions[i].back() == ':') text += kernel.instructions[i] + '\n';
    for (const StoredRegister& reg : stored_registers()) {
        const std::string address = "[%out+" + std::to_string(reg.offset) + "], ";
        if (reg.bytes == 1)
            text += "selp.u32 %flag, 1, 0, " + reg.name + ";\nst.global.u8 " + address + "%flag;\n";
        else
            text += std::string("st.global.") + bank_of(reg.name[1]).type + ' ' + address + reg.name + ";\n";
    }
    return text + "ret;\n}\n";
}

std::vector<std::uint64_t> random_input(std::uint64_t seed) {
    Draw draw(~seed);
    std::vector<std::uint64_t> words(random_threads * random_thread_bytes / 8);
    for (unsigned thread = 0; thread < random_threads; ++thread) {
        const auto at = [&](unsigned offset) -> std::uint64_t& { return words[(thread * random_thread_bytes + offset) / 8]; };
        for (const StoredRegister& reg : stored_registers()) {
            const std::uint64_t mask = reg.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * reg.bytes)) - 1;
            at(reg.offset) |= (draw.number(reg.name[1]) & mask) << (reg.offset % 8 * 8);
        }
    }
    return words;
}

std::uint64_t hash_of_output(const std::vector<unsigned char>& output) { return fnv1a(empty_hash, output.data(), output.size()); }

std::uint64_t hash_of_register(const std::vector<unsigned char>& output, const StoredRegister& reg) {
    std::uint64_t hash = empty_hash;
    for (unsigned thread = 0; thread < random_threads; ++thread)
        hash = fnv1a(hash, output.data() + thread * random_thread_bytes + reg.offset, reg.bytes);
    return hash;
}

}  // namespace cupool::ptx::test
