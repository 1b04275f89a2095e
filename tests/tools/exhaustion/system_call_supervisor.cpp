#include "system_call_supervisor.hpp"

#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "system_call_errors.hpp"

namespace cupool::test {
namespace {

int listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) throw std::runtime_error("too long for a socket: " + path);
    path.copy(address.sun_path, path.size());
    ::unlink(path.c_str());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(socket, 1) != 0) {
        throw std::runtime_error("cannot listen at " + path);
    }
    return socket;
}

/// \return -1 where the process ended before it sent one
int receive_descriptor(int connection) {
    int descriptor = -1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
    char byte = 0;
    iovec data{&byte, 1};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (::recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != 1 || CMSG_FIRSTHDR(&message) == nullptr) return -1;
    std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

}  // namespace

SystemCallSupervisor::SystemCallSupervisor(std::string path, std::uint64_t failing)
    : path_(std::move(path)), failing_(failing), socket_(listen_at(path_)), thread_([this] { serve(); }) {}

SystemCallSupervisor::~SystemCallSupervisor() {
    if (thread_.joinable()) (void)finish();
    ::close(socket_);
    ::unlink(path_.c_str());
}

std::uint64_t SystemCallSupervisor::finish() {
    ::shutdown(socket_, SHUT_RDWR);  // ends accept() where no process has come
    thread_.join();
    return calls_;
}

void SystemCallSupervisor::serve() {
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    const int listener = receive_descriptor(connection);
    ::close(connection);
    if (listener < 0) return;
    pollfd events{listener, POLLIN, 0};
    while (::poll(&events, 1, -1) >= 0 && (events.revents & POLLHUP) == 0) {
        if ((events.revents & POLLIN) != 0) answer(listener);
    }
    ::close(listener);
}

void SystemCallSupervisor::answer(int listener) {
    seccomp_notif call{};
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;  // whoever called has ended
    seccomp_notif_resp response{};
    response.id = call.id;
    if (++calls_ == failing_) {
        failed_ = call.data.nr;
        const auto* const entry = std::find_if(std::begin(system_call_errors), std::end(system_call_errors),
                                               [&](const SystemCallError& known) { return known.number == call.data.nr; });
        response.error = -entry->error;  // brk(): no error but the value 0, a break below the one that was asked for
    } else {
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    (void)::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

}  // namespace cupool::test
