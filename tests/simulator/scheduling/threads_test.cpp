// Concurrent host threads; also run under ThreadSanitizer.
#include <numeric>

#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("threads with streams of their own on every device") {
    Machine machine({{}, {}, {}, {}});
    REQUIRE(machine.cuda.init(0) == Status::success);
    std::atomic<int> failures{0};
    const auto expect = [&](Status result) { failures += result == Status::success ? 0 : 1; };
    const auto work = [&](int device) {
        const Library& cuda = machine.cuda;
        Context context{};
        expect(cuda.primary_context_retain(&context, device));
        expect(cuda.context_set_current(context));
        Module module{};
        expect(cuda.module_load_data(&module, store_text.c_str(), 0, nullptr, nullptr));
        Function store{};
        expect(cuda.module_get_function(&store, module, "store"));
        Stream stream{};
        Event event{};
        expect(cuda.stream_create(&stream, device % 2, 0));
        expect(cuda.event_create(&event, 0));
        for (std::uint32_t round = 0; round < 50; ++round) {
            DevicePointer pointer = 0;
            expect(cuda.memory_allocate_async(&pointer, 1024, stream));
            expect(cuda.set_words_async(pointer, 0, 256, stream));
            void* parameters[] = {&pointer, &round};
            expect(cuda.launch_kernel(store, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr));
            std::uint32_t value = ~0U;
            expect(cuda.copy_device_to_host_async(&value, pointer, 4, stream));
            failures += value == round ? 0 : 1;
            expect(cuda.event_record(event, stream));
            expect(cuda.memory_free_async(pointer, stream));
            expect(cuda.event_synchronize(event));
        }
        expect(cuda.stream_synchronize(stream));
        expect(cuda.event_destroy(event));
        expect(cuda.stream_destroy(stream));
        expect(cuda.module_unload(module));
        expect(cuda.primary_context_release(device));
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back(work, i % 4);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(failures == 0);
    machine.simulator.reset();
}

TEST_CASE("threads that share one stream") {
    Machine machine;
    const Context context = machine.begin();
    const Stream stream = machine.stream();
    const DevicePointer words = machine.memory(4 * 64);
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            failures += machine.cuda.context_set_current(context) == Status::success ? 0 : 1;
            for (unsigned round = 0; round < 100; ++round) {
                failures += machine.cuda.set_words_async(words + i * 64, round, 16, stream) == Status::success ? 0 : 1;
                const Status queried = machine.cuda.stream_query(stream);
                failures += queried == Status::success || queried == Status::not_ready ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    REQUIRE(machine.cuda.stream_synchronize(stream) == Status::success);
    CHECK(failures == 0);
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(machine.read(words + i * 64) == 99);
    }
}

TEST_CASE("a thousand streams at once") {
    Machine machine;
    machine.begin();
    std::vector<Stream> streams;
    std::atomic<int> ran{0};
    for (int i = 0; i < 1000; ++i) {
        streams.push_back(machine.stream());
        REQUIRE(machine.cuda.stream_launch_host_function(
                    streams.back(), [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &ran) == Status::success);
    }
    REQUIRE(machine.cuda.context_synchronize() == Status::success);
    CHECK(ran == 1000);
    for (const Stream stream : streams) {
        REQUIRE(machine.cuda.stream_destroy(stream) == Status::success);
    }
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("a fault ends the work of all threads, and none hangs") {
    Machine machine({{}, {}});
    REQUIRE(machine.cuda.init(0) == Status::success);
    std::atomic<int> wrong{0};
    const auto work = [&](int device) {
        const Library& cuda = machine.cuda;
        Context context{};
        cuda.primary_context_retain(&context, device);
        cuda.context_set_current(context);
        Stream stream{};
        cuda.stream_create(&stream, 1, 0);
        Status result{};
        while (result == Status::success) {
            DevicePointer pointer = 0;
            result = cuda.memory_allocate_async(&pointer, 64, stream);
            if (result == Status::success) {
                result = cuda.set_bytes_async(pointer, 1, 64, stream);
                const Status freed = cuda.memory_free_async(pointer, stream);
                result = result == Status::success ? freed : result;
            }
            const Status synchronized = cuda.stream_synchronize(stream);
            result = result == Status::success ? synchronized : result;
        }
        wrong += result == Status::illegal_address ? 0 : 1;
        cuda.stream_destroy(stream);
        cuda.primary_context_release(device);
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back(work, i % 2);
    }
    while (machine.simulator.call_count("cuStreamSynchronize") < 50) {
        std::this_thread::yield();
    }
    machine.simulator.raise_device_fault(static_cast<int>(Status::illegal_address));
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
    machine.simulator.reset();
}
