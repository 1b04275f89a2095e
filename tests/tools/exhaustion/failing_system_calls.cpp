// Loaded by LD_PRELOAD: before main(), it submits the process and those that it starts to the test's supervisor, which answers their system
// calls (seccomp_unotify(2)). CUPOOL_TEST_THREAD_LIMIT makes it a user without rights who may have so many threads, instead.

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "system_call_errors.hpp"

namespace {

using namespace cupool::test;

/// Far more than any run takes: a process that hangs is ended by SIGALRM.
constexpr unsigned patience_seconds = 60;

/// What the test reports where the kernel does not do this.
[[noreturn]] void give_up() { ::_exit(125); }

int connect_to(const char* path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) give_up();
    return connection;
}

/// \return the descriptor by which the supervisor listens
int submit_to_supervision() {
    constexpr std::size_t calls = std::size(system_call_errors);
    sock_filter filter[calls + 3];
    filter[0] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    for (std::size_t i = 0; i < calls; ++i) {
        const auto to_notification = static_cast<unsigned char>(calls - i);
        filter[i + 1] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(system_call_errors[i].number), to_notification, 0);
    }
    filter[calls + 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[calls + 2] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up();
    const long listener = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0) give_up();
    return static_cast<int>(listener);
}

/// By sendmsg() alone, since every other call now waits for the supervisor.
void hand_over(int descriptor, int connection) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
    char byte = 0;
    iovec data{&byte, 1};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (::sendmsg(connection, &message, 0) != 1) give_up();
}

void become_limited_user(const char* threads) {
    constexpr uid_t nobody_else_has = 54321;
    const auto limit = static_cast<rlim_t>(std::atoi(threads));
    const rlimit limits{limit, limit};
    if (::setresuid(nobody_else_has, nobody_else_has, nobody_else_has) != 0 || ::setrlimit(RLIMIT_NPROC, &limits) != 0) give_up();
}

[[gnu::constructor]] void begin() {
    const char* const socket = std::getenv(supervisor_variable);
    const char* const threads = std::getenv(thread_limit_variable);
    if (socket == nullptr && threads == nullptr) return;
    ::alarm(patience_seconds);
    if (threads != nullptr) {
        become_limited_user(threads);
        ::unsetenv(thread_limit_variable);
        return;
    }
    const int connection = connect_to(socket);
    ::unsetenv(supervisor_variable);
    const int listener = submit_to_supervision();
    hand_over(listener, connection);
    ::close(listener);
    ::close(connection);
}

}  // namespace
