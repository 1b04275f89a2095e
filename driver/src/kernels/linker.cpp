#include <cupool/driver/linker.hpp>

#include "kernels/jit.hpp"

namespace cupool {

namespace {

constexpr std::size_t log_size = std::size_t{1} << 16;

}  // namespace

/// Has a fixed address, because the driver writes to its logs until the link ends.
struct Linker::State {
    State(ContextView own_context, const JitOptions& jit_options, const SourceLocation& where)
        : context(own_context.share(where)), info(log_size), error(log_size), options(jit_options, info, error) {}
    ~State() {
        if (handle != nullptr) detail::destroy_in<&EntryPoints::link_destroy>(context.get(), handle);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    ContextView view() const { return context.get(); }

    void require_success(abi::Status result, const EntryPointInfo& entry_point, const std::string& message, const SourceLocation& where) {
        if (result == abi::Status::success) return;
        const detail::Compilation compilation{result, info.data(), error.data(), std::nullopt, false};
        detail::throw_failed_compilation(view().driver(), view().ordinal(), entry_point, compilation, message, where);
    }

    detail::Shared<const detail::ContextState> context;
    detail::LogBuffer info;
    detail::LogBuffer error;
    detail::OptionList options;
    abi::LinkState handle = nullptr;
};

Linker::Linker(ContextView context, const JitOptions& options, SourceLocation where)
    : state_(std::make_unique<State>(context, options, where)) {
    detail::call_in<&EntryPoints::link_create>(context, where, state_->options.count(), state_->options.options(), state_->options.values(),
                                               &state_->handle);
}

Linker::~Linker() = default;
Linker::Linker(Linker&&) noexcept = default;
Linker& Linker::operator=(Linker&&) noexcept = default;

Linker::State& Linker::state(const SourceLocation& where) const {
    if (state_ == nullptr) detail::throw_moved_from("the linker", where);
    return *state_;
}

void Linker::add(std::string_view image, abi::LinkInput type, const std::string& name, SourceLocation where) {
    std::string terminated(image);
    const CurrentContext current(state(where).view(), where);
    const abi::Status result =
        detail::invoke<&EntryPoints::link_add_data>(state(where).view().driver(), state(where).view().ordinal(), where, state(where).handle,
                                                    type, static_cast<void*>(terminated.data()), terminated.size() + 1, name.c_str(), 0U,
                                                    static_cast<abi::JitOption*>(nullptr), static_cast<void**>(nullptr));
    state(where).require_success(result, entry_point_info<&EntryPoints::link_add_data>, "cannot link " + name, where);
}

std::string Linker::complete(SourceLocation where) {
    const CurrentContext current(state(where).view(), where);
    void* image = nullptr;
    std::size_t bytes = 0;
    const abi::Status result = detail::invoke<&EntryPoints::link_complete>(state(where).view().driver(), state(where).view().ordinal(),
                                                                           where, state(where).handle, &image, &bytes);
    state(where).require_success(result, entry_point_info<&EntryPoints::link_complete>, "cannot complete the link", where);
    return {static_cast<const char*>(image), bytes};
}

std::string Linker::info_log(SourceLocation where) const { return state(where).info.data(); }

}  // namespace cupool
