// Streams, events, host functions.
#include <thread>

#include "interview.hpp"

using namespace cupool::test;

CHAPTER("streams") {
    const Library& cuda = ask.cuda;
    ask.begin();
    Stream stream{};
    ask.note("create into null", cuda.stream_create(nullptr, 0, 0));
    ask.note("create flags 2", cuda.stream_create(&stream, 2, 0));
    ask.note("create priority 100", cuda.stream_create(&stream, 0, 100));
    ask.note("create priority -100", cuda.stream_create(&stream, 1, -100));
    int least = 99;
    int greatest = 99;
    ask.note("priorities", cuda.context_get_stream_priority_range(&least, &greatest));
    ask.note("least", std::to_string(least));
    ask.note("greatest", std::to_string(greatest));
    ask.note("priorities into null", cuda.context_get_stream_priority_range(nullptr, nullptr));
    ask.note("synchronize null", cuda.stream_synchronize(nullptr));
    ask.note("query null", cuda.stream_query(nullptr));
    ask.note("synchronize legacy", cuda.stream_synchronize(reinterpret_cast<Stream>(1)));
    ask.note("query per thread", cuda.stream_query(reinterpret_cast<Stream>(2)));
    ask.note("destroy null", cuda.stream_destroy(nullptr));
    ask.note("destroy legacy", cuda.stream_destroy(reinterpret_cast<Stream>(1)));
    ask.note("destroy per thread", cuda.stream_destroy(reinterpret_cast<Stream>(2)));
    const Event event = ask.event();
    ask.note("wait unrecorded", cuda.stream_wait_event(stream, event, 0));
    ask.note("wait flags 1", cuda.stream_wait_event(stream, event, 1));
    ask.note("wait flags 2", cuda.stream_wait_event(stream, event, 2));
    ask.note("wait null event", cuda.stream_wait_event(stream, nullptr, 0));
    ask.note("host function null", cuda.stream_launch_host_function(stream, nullptr, nullptr));
    ask.note("destroy", cuda.stream_destroy(stream));
}

CHAPTER("what outlives a destroyed context") {
    const Library& cuda = ask.cuda;
    ask.begin();
    const Context other = ask.created(0);
    cuda.context_push_current(other);
    const Stream stream = ask.stream();
    const Event event = ask.event();
    const DevicePointer memory = ask.memory(256);
    void* const pinned = ask.pinned(256);
    cuda.context_pop_current(nullptr);
    cuda.context_destroy(other);
    ask.note("event query", cuda.event_query(event));
    ask.note("event synchronize", cuda.event_synchronize(event));
    ask.note("event record", cuda.event_record(event, nullptr));
    ask.note("stream query", cuda.stream_query(stream));
    ask.note("stream synchronize", cuda.stream_synchronize(stream));
    ask.note("stream wait", cuda.stream_wait_event(nullptr, event, 0));
    ask.note("set on the stream", cuda.set_bytes_async(memory, 1, 16, stream));
    ask.note("memory free", cuda.memory_free(memory));
    ask.note("host free", cuda.host_free(pinned));
    ask.note("event destroy", cuda.event_destroy(event));
    ask.note("stream destroy", cuda.stream_destroy(stream));
}

CHAPTER("what outlives a released primary context") {
    const Library& cuda = ask.cuda;
    ask.begin();
    const Stream stream = ask.stream();
    const Event event = ask.event();
    const DevicePointer memory = ask.memory(256);
    void* const pinned = ask.pinned(256);
    ask.note("release", cuda.primary_context_release(0));
    ask.note("event query", cuda.event_query(event));
    ask.note("stream query", cuda.stream_query(stream));
    ask.note("memory free", cuda.memory_free(memory));
    ask.note("host free", cuda.host_free(pinned));
    ask.note("event destroy", cuda.event_destroy(event));
    ask.note("stream destroy", cuda.stream_destroy(stream));
}

CHAPTER("module of a destroyed context") {
    const Library& cuda = ask.cuda;
    ask.begin();
    const Context other = ask.created(0);
    cuda.context_push_current(other);
    const Module module = ask.module(kernels_text);
    const Function function = ask.function(module, "nothing");
    cuda.context_pop_current(nullptr);
    cuda.context_destroy(other);
    ask.note("launch", cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    ask.note("unload", cuda.module_unload(module));
}

CHAPTER("events") {
    const Library& cuda = ask.cuda;
    ask.begin();
    Event event{};
    ask.note("create into null", cuda.event_create(nullptr, 0));
    ask.note("create flags 8", cuda.event_create(&event, 8));
    ask.note("create flags 4", cuda.event_create(&event, 4));
    ask.note("create flags 3", cuda.event_create(&event, 3));
    ask.note("query null", cuda.event_query(nullptr));
    ask.note("synchronize null", cuda.event_synchronize(nullptr));
    ask.note("record null", cuda.event_record(nullptr, nullptr));
    ask.note("destroy null", cuda.event_destroy(nullptr));
    const Event start = ask.event();
    const Event end = ask.event();
    const Event untimed = ask.event(2);
    float milliseconds = -1;
    ask.note("query unrecorded", cuda.event_query(start));
    ask.note("synchronize unrecorded", cuda.event_synchronize(start));
    ask.note("elapsed unrecorded", cuda.event_elapsed_time(&milliseconds, start, end));
    ask.note("record", cuda.event_record(start, nullptr));
    ask.note("elapsed to unrecorded", cuda.event_elapsed_time(&milliseconds, start, end));
    ask.note("record end", cuda.event_record(end, nullptr));
    ask.note("record untimed", cuda.event_record(untimed, nullptr));
    cuda.context_synchronize();
    ask.note("elapsed", cuda.event_elapsed_time(&milliseconds, start, end));
    ask.note("not negative", milliseconds >= 0);
    ask.note("elapsed into null", cuda.event_elapsed_time(nullptr, start, end));
    ask.note("elapsed to untimed", cuda.event_elapsed_time(&milliseconds, start, untimed));
    ask.note("elapsed from null", cuda.event_elapsed_time(&milliseconds, nullptr, end));
    ask.note("elapsed backwards", cuda.event_elapsed_time(&milliseconds, end, start));
    ask.note("not positive", milliseconds <= 0);
    const Stream held = ask.stream();
    {
        Gate gate(cuda, held);
        ask.note("record on a held stream", cuda.event_record(end, held));
        ask.note("query", cuda.event_query(end));
        ask.note("elapsed to pending", cuda.event_elapsed_time(&milliseconds, start, end));
        ask.note("destroy pending", cuda.event_destroy(end));
    }
    ask.note("synchronize", cuda.context_synchronize());
}

CHAPTER("calls from a host function") {
    static Interview* interview = nullptr;
    static Context context{};
    static DevicePointer memory = 0;
    interview = &ask;
    context = ask.begin();
    memory = ask.memory(256);
    const Stream stream = ask.stream();
    ask.cuda.stream_launch_host_function(
        stream,
        [](void*) {
            const Library& cuda = interview->cuda;
            int number = 0;
            Context current{};
            DevicePointer pointer = 0;
            interview->note("version", cuda.driver_get_version(&number));
            interview->note("device count", cuda.device_get_count(&number));
            interview->note("get current", cuda.context_get_current(&current));
            interview->note("set current", cuda.context_set_current(context));
            interview->note("allocate", cuda.memory_allocate(&pointer, 16));
            interview->note("set", cuda.set_bytes_async(memory, 1, 4, nullptr));
            interview->note("stream query", cuda.stream_query(nullptr));
        },
        nullptr);
    ask.note("synchronize", ask.cuda.stream_synchronize(stream));
}
