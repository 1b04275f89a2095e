#include <algorithm>

#include "ptx/compile/decode.hpp"
#include "ptx/parse/parser.hpp"
#include "ptx/ptx.hpp"
#include "ptx/report.hpp"

namespace cupool::ptx {
namespace {

constexpr std::uint64_t max_constant_bytes = 64 * 1024;
constexpr std::uint64_t max_parameter_bytes = 32764;
constexpr std::uint64_t max_static_shared_bytes = 232'448;  // the limit of an H200's driver; that of stand-alone ptxas is 48 KiB
constexpr std::uint32_t no_index = 0xffffffff;

/// Builds the executable module from its syntax tree.
class ModuleBuilder {
public:
    ModuleBuilder(const syntax::Module& source, bool contract) : source_(source), contract_(contract), pool_(module_) {}

    Module build() {
        module_.version_major = source_.version_major;
        module_.version_minor = source_.version_minor;
        module_.target = source_.target;
        module_.files = source_.files;
        encode_symbols();
        for (const syntax::Function& function : source_.functions) {
            refusals_.push_back(function.refusal);
            if (!function.defined || !function.refusal.empty() || !add_function(function)) {
                module_.functions.emplace_back();
                shared_symbols_.emplace_back();
            }
        }
        marks_.assign(module_.functions.size(), Mark::unseen);
        deepest_.resize(module_.functions.size());
        for (std::uint32_t i = 0; i < source_.functions.size(); ++i)
            if (source_.functions[i].is_entry && source_.functions[i].defined) add_entry(i);
        return std::move(module_);
    }

private:
    // Returns false if the function contains an unsupported feature.
    bool add_function(const syntax::Function& function) {
        const std::size_t calls = module_.calls.size();
        const std::size_t branch_tables = module_.branch_tables.size();
        try {
            FunctionDecoder decoder(source_, function, symbol_indices_, module_, pool_, contract_);
            Function decoded = decoder.decode();
            module_.functions.push_back(std::move(decoded));
            shared_symbols_.push_back(decoder.shared_symbols());
            return true;
        } catch (const ParseError& error) {
            if (error.kind() != ParseError::Kind::unsupported) throw;
            refusals_.back() = error.log();
            module_.calls.resize(calls);
            module_.branch_tables.resize(branch_tables);
            return false;
        }
    }

    void encode_symbols() {
        symbol_indices_.variable.assign(source_.symbols.size(), no_index);
        symbol_indices_.shared.assign(source_.symbols.size(), no_index);
        std::uint64_t constant_bytes = 0;
        for (std::uint32_t i = 0; i < source_.symbols.size(); ++i) {
            const syntax::Symbol& symbol = source_.symbols[i];
            if (symbol.space == Space::shared) symbol_indices_.shared[i] = shared_count_++;
            if (symbol.space != Space::global && symbol.space != Space::constant) continue;
            symbol_indices_.variable[i] = static_cast<std::uint32_t>(module_.variables.size());
            Variable variable;
            variable.name = symbol.name;
            variable.size = symbol.size;
            variable.alignment = symbol.alignment;
            variable.constant = symbol.space == Space::constant;
            variable.visible = symbol.visible;
            variable.initial = symbol.initial;
            module_.variables.push_back(std::move(variable));
            if (symbol.space == Space::constant) constant_bytes = align_up(constant_bytes, symbol.alignment) + symbol.size;
            if (constant_bytes > max_constant_bytes)
                throw ParseError(ParseError::Kind::malformed, symbol.line, symbol.name, "module uses more than 64 KiB of constant memory");
        }
        for (std::uint32_t i = 0; i < source_.symbols.size(); ++i)
            for (const syntax::Symbol::Relocation& relocation : source_.symbols[i].relocations)
                module_.variables[symbol_indices_.variable[i]].relocations.push_back(
                    {relocation.offset, symbol_indices_.variable[relocation.symbol], relocation.addend});
    }

    struct Frames {
        std::uint32_t frame32_bytes = 0;
        std::uint32_t frame64_bytes = 0;
        std::uint32_t frame_predicate_bytes = 0;
        std::uint32_t local_bytes = 0;
    };

    // The functions that an entry can reach, and the frame sizes of its deepest call chain.
    struct Reach {
        std::vector<std::uint32_t> functions;
        bool recursive = false;
    };

    enum class Mark : std::uint8_t { unseen, open, done };

    Reach reach(std::uint32_t entry) {
        Reach result;
        std::vector<std::pair<std::uint32_t, std::size_t>> path{{entry, 0}};
        marks_[entry] = Mark::open;
        while (!path.empty()) {
            const std::uint32_t function = path.back().first;
            const std::vector<std::uint32_t>& callees = module_.functions[function].callees;
            if (path.back().second == callees.size()) {
                marks_[function] = Mark::done;
                result.functions.push_back(function);  // callees before callers
                path.pop_back();
                continue;
            }
            const std::uint32_t callee = callees[path.back().second++];
            if (marks_[callee] == Mark::open) result.recursive = true;
            if (marks_[callee] != Mark::unseen) continue;
            marks_[callee] = Mark::open;
            path.emplace_back(callee, 0);
        }
        for (const std::uint32_t function : result.functions) marks_[function] = Mark::unseen;
        return result;
    }

    void add_entry(std::uint32_t index) {
        const syntax::Function& function = source_.functions[index];
        const Reach reached = reach(index);
        Entry entry;
        entry.name = function.name;
        for (const std::uint32_t reached_function : reached.functions)
            if (entry.refusal.empty()) entry.refusal = refusals_[reached_function];
        entry.max_threads = function.max_threads;
        entry.required_threads = function.required_threads;
        const FormalLayout formals = lay_out_formals(source_, function);
        for (std::size_t i = 0; i < formals.parameters.size(); ++i) {
            const std::uint32_t alignment = source_.symbols[function.parameters[i].index].alignment;
            entry.parameters.push_back({formals.parameters[i].offset, formals.parameters[i].size, alignment});
        }
        entry.parameter_bytes = formals.bytes;
        if (formals.bytes > max_parameter_bytes)
            throw ParseError(ParseError::Kind::malformed, function.line, function.name, "entry has too many bytes of parameters");

        EntryPoint point;
        point.function = index;
        point.recursive = reached.recursive;
        add_frames(reached, point);
        add_shared(reached, entry, point);
        entry.local_bytes = point.local_bytes;
        for (const std::uint32_t reached_function : reached.functions)
            entry.registers = std::max(entry.registers, module_.functions[reached_function].registers);
        constexpr std::uint32_t overhead = 8;  // registers for addresses and predicates on a real GPU
        entry.registers = std::min<std::uint32_t>(255, static_cast<std::uint32_t>(align_up(entry.registers + overhead, 8)));
        module_.entries.push_back(std::move(entry));
        module_.entry_points.push_back(std::move(point));
    }

    void add_frames(const Reach& reached, EntryPoint& point) {
        if (reached.recursive) {
            const Function& entry = module_.functions[point.function];
            point.frame32_bytes = entry.frame32_bytes;
            point.frame64_bytes = entry.frame64_bytes;
            point.frame_predicate_bytes = entry.frame_predicate_bytes;
            point.local_bytes = entry.local_bytes;
            return;
        }
        // `functions` lists callees before callers, so the deepest chain of each callee is known.
        for (const std::uint32_t index : reached.functions) {
            const Function& function = module_.functions[index];
            Frames below;
            for (const std::uint32_t callee : function.callees) {
                below.frame32_bytes = std::max(below.frame32_bytes, deepest_[callee].frame32_bytes);
                below.frame64_bytes = std::max(below.frame64_bytes, deepest_[callee].frame64_bytes);
                below.frame_predicate_bytes = std::max(below.frame_predicate_bytes, deepest_[callee].frame_predicate_bytes);
                below.local_bytes = std::max(below.local_bytes, deepest_[callee].local_bytes);
            }
            deepest_[index].frame32_bytes = below.frame32_bytes + function.frame32_bytes;
            deepest_[index].frame64_bytes = below.frame64_bytes + function.frame64_bytes;
            deepest_[index].frame_predicate_bytes = below.frame_predicate_bytes + function.frame_predicate_bytes;
            deepest_[index].local_bytes = below.local_bytes + function.local_bytes;
        }
        const Frames& whole = deepest_[point.function];
        point.frame32_bytes = whole.frame32_bytes;
        point.frame64_bytes = whole.frame64_bytes;
        point.frame_predicate_bytes = whole.frame_predicate_bytes;
        point.local_bytes = whole.local_bytes;
    }

    // Lays out the shared variables that the entry reaches; dynamic shared memory follows them.
    void add_shared(const Reach& reached, Entry& entry, EntryPoint& point) {
        std::vector<std::uint32_t> used;
        for (const std::uint32_t function : reached.functions)
            used.insert(used.end(), shared_symbols_[function].begin(), shared_symbols_[function].end());
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        std::uint64_t bytes = 0;
        std::uint32_t dynamic_alignment = 1;
        for (const std::uint32_t index : used) {
            const syntax::Symbol& symbol = source_.symbols[index];
            if (symbol.dynamic_shared) {
                dynamic_alignment = std::max(dynamic_alignment, symbol.alignment);
                continue;
            }
            bytes = align_up(bytes, symbol.alignment);
            point.shared_offsets[symbol_indices_.shared[index]] = static_cast<std::uint32_t>(bytes);
            bytes += symbol.size;
            if (bytes > max_static_shared_bytes) {
                throw ParseError(ParseError::Kind::malformed, symbol.line, entry.name,
                                 "Entry function '" + entry.name + "' uses too much shared data (" + hexadecimal(bytes) + " bytes, " +
                                     hexadecimal(max_static_shared_bytes) + " max)");
            }
        }
        bytes = align_up(bytes, dynamic_alignment);
        for (const std::uint32_t index : used)
            if (source_.symbols[index].dynamic_shared)
                point.shared_offsets[symbol_indices_.shared[index]] = static_cast<std::uint32_t>(bytes);
        entry.shared_bytes = static_cast<std::uint32_t>(bytes);
    }

    const syntax::Module& source_;
    bool contract_;
    Module module_;
    ConstantPool pool_;
    SymbolIndices symbol_indices_;
    std::uint32_t shared_count_ = 0;
    std::vector<std::vector<std::uint32_t>> shared_symbols_;
    std::vector<std::string> refusals_;  ///< by function; empty if it is supported
    // By function; reused for each entry, so that the time is not quadratic in the number of entries.
    std::vector<Mark> marks_;
    std::vector<Frames> deepest_;
};

template <class Named>
std::optional<std::size_t> find_named(const std::vector<Named>& all, std::string_view name) {
    const auto found = std::find_if(all.begin(), all.end(), [name](const Named& candidate) { return candidate.name == name; });
    return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
}

}  // namespace

ParseError::ParseError(Kind kind, int line, std::string token, const std::string& message)
    : kind_(kind), line_(line), token_(std::move(token)) {
    log_ = "ptxas application ptx input, line " + std::to_string(line_) + "; error   : " + message;
    if (!token_.empty()) log_ += " (near '" + token_ + "')";
    log_ += kind_ == Kind::unsupported ? "\nptxas fatal   : Ptx assembly aborted: the simulated driver does not run this\n"
                                       : "\nptxas fatal   : Ptx assembly aborted due to errors\n";
}

Program::Program(std::shared_ptr<const Module> module) : module_(std::move(module)) {}

Program Program::parse(std::string_view text, bool contract) {
    const syntax::Module source = Parser(text.substr(0, text.find('\0'))).parse();
    return Program(std::make_shared<const Module>(ModuleBuilder(source, contract).build()));
}

int Program::version_major() const noexcept { return module_->version_major; }
int Program::version_minor() const noexcept { return module_->version_minor; }
const std::string& Program::target() const noexcept { return module_->target; }
const std::vector<Entry>& Program::entries() const noexcept { return module_->entries; }
const std::vector<Variable>& Program::variables() const noexcept { return module_->variables; }

std::optional<std::size_t> Program::find_entry(std::string_view name) const noexcept { return find_named(module_->entries, name); }
std::optional<std::size_t> Program::find_variable(std::string_view name) const noexcept { return find_named(module_->variables, name); }

}  // namespace cupool::ptx
