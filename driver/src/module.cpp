#include <cstdint>
#include <cstring>
#include <cupool/driver/log.hpp>
#include <cupool/driver/module.hpp>
#include <utility>
#include <vector>

namespace cupool {

namespace {

/// A buffer that the JIT compiler writes its log into.
class LogBuffer {
public:
    explicit LogBuffer(std::size_t size) : text_(size, '\0') {}

    char* data() { return text_.data(); }
    std::size_t size() const { return text_.size(); }
    /// What the compiler wrote. Needs no memory, as the module may be loaded by then.
    std::string take() noexcept {
        text_.resize(std::strlen(text_.c_str()));
        return std::move(text_);
    }
    /// Whether the compiler may have had more to say: it ends what it cuts off at the buffer's end.
    bool is_full() const { return std::strlen(text_.c_str()) + 2 >= text_.size(); }

private:
    std::string text_;
};

/// Options and their values as the driver takes them: numbers stand in the pointers themselves.
class OptionList {
public:
    void add(abi::JitOption option, std::uintptr_t value) {
        options_.push_back(option);
        values_.push_back(reinterpret_cast<void*>(value));
    }
    void add_log(abi::JitOption buffer_option, abi::JitOption size_option, LogBuffer& buffer) {
        add(buffer_option, reinterpret_cast<std::uintptr_t>(buffer.data()));
        add(size_option, buffer.size() - 1);  // the last byte stays a terminator
    }

    unsigned count() const { return static_cast<unsigned>(options_.size()); }
    abi::JitOption* options() { return options_.data(); }
    void** values() { return values_.data(); }

private:
    std::vector<abi::JitOption> options_;
    std::vector<void*> values_;
};

struct Loading {
    abi::Result result;
    abi::Module module;
    std::string info_log;
    std::string error_log;
    bool log_is_cut;
};

Loading load(ContextView context, const std::string& image, const JitOptions& options, std::size_t log_size, const SourceLocation& where) {
    LogBuffer info(log_size);
    LogBuffer error(log_size);
    OptionList list;
    list.add_log(abi::JitOption::info_log_buffer, abi::JitOption::info_log_buffer_size_bytes, info);
    list.add_log(abi::JitOption::error_log_buffer, abi::JitOption::error_log_buffer_size_bytes, error);
    if (options.max_registers) {
        list.add(abi::JitOption::max_registers, static_cast<std::uintptr_t>(*options.max_registers));
    }
    if (options.optimization_level) {
        list.add(abi::JitOption::optimization_level, static_cast<std::uintptr_t>(*options.optimization_level));
    }
    if (options.verbose) {
        list.add(abi::JitOption::log_verbose, 1);
    }
    abi::Module module = nullptr;
    const abi::Result result = detail::invoke<&EntryPoints::module_load_data>(context.driver(), context.ordinal(), where, &module,
                                                                              static_cast<const void*>(image.c_str()), list.count(),
                                                                              list.options(), list.values());
    const bool log_is_cut = info.is_full() || error.is_full();
    return {result, module, info.take(), error.take(), log_is_cut};
}

/// The compiler's words, errors first.
std::string join_logs(const Loading& loading) {
    std::string log = loading.error_log;
    if (!log.empty() && !loading.info_log.empty()) {
        log += '\n';
    }
    return log + loading.info_log;
}

}  // namespace

Module::Module(ContextView context, std::string_view image, const JitOptions& options, SourceLocation where) : context_(context.share()) {
    constexpr std::size_t first_log_size = std::size_t{1} << 14;
    constexpr std::size_t last_log_size = std::size_t{1} << 24;
    const std::string terminated(image);
    const CurrentContext current(context, where);

    std::size_t log_size = first_log_size;
    Loading loading = load(context, terminated, options, log_size, where);
    while (loading.log_is_cut && log_size < last_log_size) {
        if (loading.result == abi::Result::success) {
            detail::call<&EntryPoints::module_unload>(context.driver(), context.ordinal(), where, loading.module);
        }
        log_size *= 32;
        loading = load(context, terminated, options, log_size, where);
    }
    if (loading.result != abi::Result::success) {
        ErrorDetails details;
        details.category = category_of(loading.result);
        details.code = loading.result;
        details.call = entry_point_info<&EntryPoints::module_load_data>.base;
        details.device = context.ordinal();
        details.log = join_logs(loading);
        details.message = "cannot load a module of " + std::to_string(image.size()) + " bytes on a driver of CUDA " +
                          cuda_version_text(context.driver().version());
        throw Error(std::move(details), where);
    }
    handle_ = loading.module;
    info_log_ = std::move(loading.info_log);
    info_log_.shrink_to_fit();
    if (!info_log_.empty()) {
        detail::log(LogLevel::debug, info_log_);
    }
}

Module::Module(Module&& other) noexcept
    : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)), info_log_(std::move(other.info_log_)) {}

Module& Module::operator=(Module&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        handle_ = std::exchange(other.handle_, nullptr);
        info_log_ = std::move(other.info_log_);
    }
    return *this;
}

void Module::release() noexcept {
    if (handle_ != nullptr) {
        detail::destroy_in<&EntryPoints::module_unload>(context(), handle_);
    }
}

UntypedKernel Module::untyped_kernel(const std::string& name, SourceLocation where) const {
    const CurrentContext current(context(), where);
    abi::Function function = nullptr;
    const abi::Result result =
        detail::invoke<&EntryPoints::module_get_function>(context().driver(), context().ordinal(), where, &function, handle_, name.c_str());
    if (result != abi::Result::success) {
        detail::throw_failed_call(context().driver(), entry_point_info<&EntryPoints::module_get_function>, result, context().ordinal(),
                                  where, "no kernel \"" + name + "\" in the module");
    }
    return UntypedKernel(context(), function, name);
}

DeviceSpan<std::byte> Module::global(const std::string& name, SourceLocation where) const {
    const CurrentContext current(context(), where);
    abi::DevicePointer pointer = 0;
    std::size_t bytes = 0;
    const abi::Result result = detail::invoke<&EntryPoints::module_get_global>(context().driver(), context().ordinal(), where, &pointer,
                                                                               &bytes, handle_, name.c_str());
    if (result != abi::Result::success) {
        detail::throw_failed_call(context().driver(), entry_point_info<&EntryPoints::module_get_global>, result, context().ordinal(), where,
                                  "no variable \"" + name + "\" in the module");
    }
    return {pointer, bytes, context().ordinal()};
}

}  // namespace cupool
