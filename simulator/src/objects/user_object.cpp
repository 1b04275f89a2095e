#include "objects/user_object.hpp"

#include "api/driver_state.hpp"
#include "api/handle_call.hpp"
#include "api/state.hpp"

namespace cupool::simulator {
namespace {

// CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, which is mandatory, and CU_GRAPH_USER_OBJECT_MOVE.
constexpr unsigned no_destructor_sync = 1;
constexpr unsigned move_reference = 1;

std::shared_ptr<UserObject> object_of(State& state, abi::UserObject handle) {
    auto object = state.user_objects.find(handle);
    require(object != nullptr, abi::Status::invalid_value);
    return object;
}

void release(State& state, UserObject& object, unsigned count) {
    require(count > 0 && count <= object.references, abi::Status::invalid_value);
    object.references -= count;
    if (object.references == 0) {
        state.user_objects.remove(object.handle);
    }
}

}  // namespace

UserObject::~UserObject() {
    if (destroy != nullptr) {
        const HostFunctionScope scope;
        destroy(pointer);
    }
}

namespace exports {

Status user_object_create(UserObject* object, void* pointer, HostFunction destroy, unsigned references, unsigned flags) {
    return handle_call(EntryPoint::user_object_create, [&] {
        require(object != nullptr && destroy != nullptr && references > 0 && flags == no_destructor_sync, Status::invalid_value);
        const Locked state;
        const auto created = std::make_shared<simulator::UserObject>();
        created->handle = HandleTable<simulator::UserObject>::issue();
        created->pointer = pointer;
        created->references = references;
        state->user_objects.add(created);
        created->destroy = destroy;
        *object = created->handle;
    });
}

Status user_object_release(UserObject object, unsigned count) {
    return handle_call(EntryPoint::user_object_release, [&] {
        std::shared_ptr<simulator::UserObject> released;  // destroyed after the lock is released
        const Locked state;
        released = object_of(*state, object);
        release(*state, *released, count);
    });
}

Status graph_retain_user_object(Graph graph, UserObject object, unsigned count, unsigned flags) {
    return handle_call(EntryPoint::graph_retain_user_object, [&] {
        require(count > 0 && flags <= move_reference, Status::invalid_value);
        const Locked state;
        const auto keeper = graph_of(*state, graph);
        const auto kept = object_of(*state, object);
        keeper->user_objects.reserve(keeper->user_objects.size() + count);
        if (flags == move_reference) {
            release(*state, *kept, count);
        }
        keeper->user_objects.insert(keeper->user_objects.end(), count, kept);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
