// Streams, events, host functions.
#include <thread>

#include "answer_recorder.hpp"

using namespace cupool::test;

CALL_GROUP("streams") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    Stream stream{};
    recorder.note("create into null", cuda.stream_create(nullptr, 0, 0));
    recorder.note("create flags 2", cuda.stream_create(&stream, 2, 0));
    recorder.note("create priority 100", cuda.stream_create(&stream, 0, 100));
    recorder.note("create priority -100", cuda.stream_create(&stream, 1, -100));
    int least = 99;
    int greatest = 99;
    recorder.note("priorities", cuda.context_get_stream_priority_range(&least, &greatest));
    recorder.note("least", std::to_string(least));
    recorder.note("greatest", std::to_string(greatest));
    recorder.note("priorities into null", cuda.context_get_stream_priority_range(nullptr, nullptr));
    recorder.note("synchronize null", cuda.stream_synchronize(nullptr));
    recorder.note("query null", cuda.stream_query(nullptr));
    recorder.note("synchronize legacy", cuda.stream_synchronize(reinterpret_cast<Stream>(1)));
    recorder.note("query per thread", cuda.stream_query(reinterpret_cast<Stream>(2)));
    recorder.note("destroy null", cuda.stream_destroy(nullptr));
    recorder.note("destroy legacy", cuda.stream_destroy(reinterpret_cast<Stream>(1)));
    recorder.note("destroy per thread", cuda.stream_destroy(reinterpret_cast<Stream>(2)));
    const Event event = recorder.event();
    recorder.note("wait unrecorded", cuda.stream_wait_event(stream, event, 0));
    recorder.note("wait flags 1", cuda.stream_wait_event(stream, event, 1));
    recorder.note("wait flags 2", cuda.stream_wait_event(stream, event, 2));
    recorder.note("wait null event", cuda.stream_wait_event(stream, nullptr, 0));
    recorder.note("host function null", cuda.stream_launch_host_function(stream, nullptr, nullptr));
    recorder.note("destroy", cuda.stream_destroy(stream));
}

CALL_GROUP("what outlives a destroyed context") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Context other = recorder.created(0);
    cuda.context_push_current(other);
    const Stream stream = recorder.stream();
    const Event event = recorder.event();
    const DevicePointer memory = recorder.memory(256);
    void* const pinned = recorder.pinned(256);
    cuda.context_pop_current(nullptr);
    cuda.context_destroy(other);
    recorder.note("event query", cuda.event_query(event));
    recorder.note("event synchronize", cuda.event_synchronize(event));
    recorder.note("event record", cuda.event_record(event, nullptr));
    recorder.note("stream query", cuda.stream_query(stream));
    recorder.note("stream synchronize", cuda.stream_synchronize(stream));
    recorder.note("stream wait", cuda.stream_wait_event(nullptr, event, 0));
    recorder.note("set on the stream", cuda.set_bytes_async(memory, 1, 16, stream));
    recorder.note("memory free", cuda.memory_free(memory));
    recorder.note("host free", cuda.host_free(pinned));
    recorder.note("event destroy", cuda.event_destroy(event));
    recorder.note("stream destroy", cuda.stream_destroy(stream));
}

CALL_GROUP("what outlives a released primary context") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Stream stream = recorder.stream();
    const Event event = recorder.event();
    const DevicePointer memory = recorder.memory(256);
    void* const pinned = recorder.pinned(256);
    recorder.note("release", cuda.primary_context_release(0));
    recorder.note("event query", cuda.event_query(event));
    recorder.note("stream query", cuda.stream_query(stream));
    recorder.note("memory free", cuda.memory_free(memory));
    recorder.note("host free", cuda.host_free(pinned));
    recorder.note("event destroy", cuda.event_destroy(event));
    recorder.note("stream destroy", cuda.stream_destroy(stream));
}

CALL_GROUP("module of a destroyed context") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Context other = recorder.created(0);
    cuda.context_push_current(other);
    const Module module = recorder.module(kernels_text);
    const Function function = recorder.function(module, "nothing");
    cuda.context_pop_current(nullptr);
    cuda.context_destroy(other);
    recorder.note("launch", cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("unload", cuda.module_unload(module));
}

CALL_GROUP("events") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    Event event{};
    recorder.note("create into null", cuda.event_create(nullptr, 0));
    recorder.note("create flags 8", cuda.event_create(&event, 8));
    recorder.note("create flags 4", cuda.event_create(&event, 4));
    recorder.note("create flags 3", cuda.event_create(&event, 3));
    recorder.note("query null", cuda.event_query(nullptr));
    recorder.note("synchronize null", cuda.event_synchronize(nullptr));
    recorder.note("record null", cuda.event_record(nullptr, nullptr));
    recorder.note("destroy null", cuda.event_destroy(nullptr));
    const Event start = recorder.event();
    const Event end = recorder.event();
    const Event untimed = recorder.event(2);
    float milliseconds = -1;
    recorder.note("query unrecorded", cuda.event_query(start));
    recorder.note("synchronize unrecorded", cuda.event_synchronize(start));
    recorder.note("elapsed unrecorded", cuda.event_elapsed_time(&milliseconds, start, end));
    recorder.note("record", cuda.event_record(start, nullptr));
    recorder.note("elapsed to unrecorded", cuda.event_elapsed_time(&milliseconds, start, end));
    recorder.note("record end", cuda.event_record(end, nullptr));
    recorder.note("record untimed", cuda.event_record(untimed, nullptr));
    cuda.context_synchronize();
    recorder.note("elapsed", cuda.event_elapsed_time(&milliseconds, start, end));
    recorder.note("not negative", milliseconds >= 0);
    recorder.note("elapsed into null", cuda.event_elapsed_time(nullptr, start, end));
    recorder.note("elapsed to untimed", cuda.event_elapsed_time(&milliseconds, start, untimed));
    recorder.note("elapsed from null", cuda.event_elapsed_time(&milliseconds, nullptr, end));
    recorder.note("elapsed backwards", cuda.event_elapsed_time(&milliseconds, end, start));
    recorder.note("not positive", milliseconds <= 0);
    const Stream held = recorder.stream();
    {
        Gate gate(cuda, held);
        recorder.note("record on a held stream", cuda.event_record(end, held));
        recorder.note("query", cuda.event_query(end));
        recorder.note("elapsed to pending", cuda.event_elapsed_time(&milliseconds, start, end));
        recorder.note("destroy pending", cuda.event_destroy(end));
    }
    recorder.note("synchronize", cuda.context_synchronize());
}

CALL_GROUP("calls from a host function") {
    static AnswerRecorder* shared = nullptr;
    static Context context{};
    static DevicePointer memory = 0;
    shared = &recorder;
    context = recorder.begin();
    memory = recorder.memory(256);
    const Stream stream = recorder.stream();
    recorder.cuda.stream_launch_host_function(
        stream,
        [](void*) {
            const Library& cuda = shared->cuda;
            int number = 0;
            Context current{};
            DevicePointer pointer = 0;
            shared->note("version", cuda.driver_get_version(&number));
            shared->note("device count", cuda.device_get_count(&number));
            shared->note("get current", cuda.context_get_current(&current));
            shared->note("set current", cuda.context_set_current(context));
            shared->note("allocate", cuda.memory_allocate(&pointer, 16));
            shared->note("set", cuda.set_bytes_async(memory, 1, 4, nullptr));
            shared->note("stream query", cuda.stream_query(nullptr));
        },
        nullptr);
    recorder.note("synchronize", recorder.cuda.stream_synchronize(stream));
}
