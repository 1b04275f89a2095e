// The system calls that may fail, and with which error.
#pragma once

#include <sys/syscall.h>

#include <cerrno>

namespace cupool::test {

/// The variable that names the supervisor's socket to failing_system_calls.cpp.
inline constexpr const char* supervisor_variable = "CUPOOL_TEST_SUPERVISOR";
/// The variable that tells it how many threads and processes its user may have.
inline constexpr const char* thread_limit_variable = "CUPOOL_TEST_THREAD_LIMIT";

struct SystemCallError {
    int number;
    int error;  ///< what the call answers in place of being made; see its manual page
};

/// Not among them: what cannot fail for want of resources or rights (futex, rt_sigaction, exit_group, ...), and sendmsg(), by which the
/// supervised process hands its listener over.
inline constexpr SystemCallError system_call_errors[] = {
#ifdef __NR_access
    {__NR_access, EACCES},
    {__NR_fork, EAGAIN},
    {__NR_open, EMFILE},
    {__NR_pipe, EMFILE},
    {__NR_poll, EINTR},
    {__NR_readlink, EACCES},
    {__NR_stat, EACCES},
    {__NR_vfork, EAGAIN},
#endif
    {__NR_brk, 0},  // answers the break as it was: see system_call_supervisor.cpp
    {__NR_clone, EAGAIN},
    {__NR_clone3, EAGAIN},
    {__NR_close, EIO},
    {__NR_dup, EMFILE},
    {__NR_dup3, EMFILE},
    {__NR_execve, EACCES},
    {__NR_faccessat, EACCES},
    {__NR_fcntl, EMFILE},
    {__NR_fstat, EIO},
    {__NR_getdents64, EIO},
    {__NR_getrandom, ENOSYS},
    {__NR_ioctl, ENOTTY},
    {__NR_kill, EPERM},
    {__NR_lseek, ESPIPE},
    {__NR_madvise, EINVAL},
    {__NR_memfd_create, EMFILE},
    {__NR_mmap, ENOMEM},
    {__NR_mprotect, ENOMEM},
    {__NR_munmap, ENOMEM},
    {__NR_newfstatat, EACCES},
    {__NR_openat, EMFILE},
    {__NR_pipe2, EMFILE},
    {__NR_ppoll, EINTR},
    {__NR_prctl, EINVAL},
    {__NR_pread64, EIO},
    {__NR_prlimit64, EPERM},
    {__NR_read, EIO},
    {__NR_readlinkat, EACCES},
    {__NR_sched_getaffinity, EPERM},
    {__NR_sched_setaffinity, EPERM},
    {__NR_setpgid, EPERM},
    {__NR_socket, EMFILE},
    {__NR_statx, EACCES},
    {__NR_sysinfo, EPERM},
    {__NR_uname, EFAULT},
    {__NR_wait4, EINTR},
    {__NR_waitid, EINTR},
    {__NR_write, EIO},
    {__NR_writev, EIO},
};

}  // namespace cupool::test
