#include "objects/link.hpp"

#include <memory>

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "objects/jit.hpp"

namespace cupool::simulator {
namespace {

using abi::Status;

std::shared_ptr<LinkState> link_of(State& state, abi::LinkState handle) {
    auto link = state.link_states.find(handle);
    require(link != nullptr, Status::invalid_handle);
    return link;
}

}  // namespace

namespace exports {

Status link_create(unsigned option_count, JitOption* options, void** option_values, LinkState* link) {
    return handle_call(EntryPoint::link_create, [&] {
        require(link != nullptr, Status::invalid_value);
        const JitLog log(option_count, options, option_values);
        const Locked state;
        const auto created = std::make_shared<simulator::LinkState>(
            simulator::LinkState{HandleTable<simulator::LinkState>::issue(), current_context(*state)->device.kind, log});
        state->link_states.add(created);
        *link = created->handle;
    });
}

Status link_add_data(LinkState link, LinkInput type, void* data, std::size_t bytes, const char*, unsigned option_count, JitOption* options,
                     void** option_values) {
    return handle_call(EntryPoint::link_add_data, [&] {
        require(data != nullptr && bytes > 0, Status::invalid_value);
        const JitLog checked(option_count, options, option_values);
        const Locked state;
        const auto extended = link_of(*state, link);
        require(type == LinkInput::ptx && extended->image.empty(), Status::not_supported);
        const std::string text(static_cast<const char*>(data), bytes);
        compile(text.c_str(), extended->device, extended->log);
        extended->image = text.c_str();
    });
}

Status link_complete(LinkState link, void** image, std::size_t* bytes) {
    return handle_call(EntryPoint::link_complete, [&] {
        require(image != nullptr, Status::invalid_value);
        const Locked state;
        const auto complete = link_of(*state, link);
        require(!complete->image.empty(), Status::invalid_value);
        complete->log.write_info("");
        complete->log.write_error("");
        *image = complete->image.data();
        if (bytes != nullptr) {
            *bytes = complete->image.size() + 1;
        }
    });
}

Status link_destroy(LinkState link) {
    return handle_call(EntryPoint::link_destroy, [&] {
        const Locked state;
        link_of(*state, link);
        state->link_states.remove(link);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
