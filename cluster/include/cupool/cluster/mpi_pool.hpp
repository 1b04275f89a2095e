#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cupool/cluster/detail/rank_array.hpp>
#include <cupool/cluster/rank_error.hpp>
#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/kernel_work.hpp>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cupool {

/// How an MpiPool is made. All ranks give the same `heartbeat`, `silence` and `chunk_bytes`.
struct MpiOptions {
    /// The file of the plugin for the MPI library. Empty: the one that the environment variable CUPOOL_MPI_PLUGIN names; else the plugin
    /// for the library that the program is linked with, or whose launcher has started it, from the directory of the program,
    /// `../lib/cupool` beside it, where it was built, or where it was installed.
    std::string plugin{};
    /// The communicator whose ranks take part, as MPI_Comm_c2f gives it; nullopt takes all ranks of the program.
    std::optional<int> communicator{};
    /// A relative measure of this rank's speed, up to a million, by which share() divides. 0 takes the number of the pool's devices, or
    /// 1/50 for the host.
    double weight = 0;
    /// The time between two signs of life of a rank.
    std::chrono::milliseconds heartbeat{250};
    /// A rank that gives no sign of life for this long is lost. At least four times `heartbeat`.
    std::chrono::milliseconds silence{10'000};
    /// How long the constructor waits for the other ranks.
    std::chrono::milliseconds start_deadline{60'000};
    /// Vectors travel in pieces of this many bytes, 1 KiB to 1 GiB.
    std::size_t chunk_bytes = std::size_t{1} << 20;
};

/// A rank of an MpiPool.
struct RankInfo {
    std::string host;              ///< the name of its host
    int process = 0;               ///< its process number there
    Engine engine = Engine::host;  ///< where its algorithms run
    std::size_t device_count = 0;  ///< 0 on the host engine
    double weight = 0;             ///< see MpiOptions::weight
};

/// A part of a job that a rank does.
struct RankShare {
    std::uint64_t offset = 0;  ///< of the first item
    std::uint64_t count = 0;   ///< of items
};

/// The report of a call of all ranks, for this rank.
struct MpiReport {
    RunReport local;                 ///< of this rank's part, on its devices or its host; empty of a call that only moves data
    double milliseconds = 0;         ///< wall-clock time of the call
    std::uint64_t bytes_sent = 0;    ///< by this rank to others meanwhile, also in calls of other threads
    std::uint64_t bytes_staged = 0;  ///< copied between devices and page-locked memory, on this rank
};

std::ostream& operator<<(std::ostream& out, const MpiReport& report);

/// The device pools of all ranks of an MPI program, as one: each rank brings its own operands and its own DevicePool, whose devices, or
/// host, do its part of a job. Ranks without a GPU may stand beside ranks with some.
///
///     const DevicePool devices = DevicePool::all_or_host();
///     MpiPool ranks(devices);                                  // on every rank
///     const RankShare share = ranks.share(terms);              // which terms this rank has
///     JacobianPoint<Curve::bn254> sum;
///     ranks.msm<Curve::bn254>(my_scalars, my_points, {}, sum); // the same sum on every rank
///
/// Neither cupool nor the program is linked with MPI: a plugin for the library that is used is opened at run time. A program that has not
/// initialised MPI leaves that to the first MpiPool; MPI is then finalised when the process exits. A program that initialises MPI itself
/// does so with MPI_THREAD_MULTIPLE, and finalises it after its last MpiPool is destroyed.
///
/// Calls of all ranks. All but send() and receive() are called by every rank, in the same order, by one thread at a time (calls of several
/// threads wait for each other). They return on all ranks or throw on all ranks: where one rank's part fails, that rank throws its own
/// error, and the others RankError with its text. What must be the same on all ranks (the call, the curve, the operation, sizes; of
/// reductions also the type) is compared: a difference is invalid_argument on all ranks, with two ranks and their calls.
///
/// Loss. A rank that ends or stops answering is noticed after MpiOptions::silence. Then every call that needs it, and all later ones, throw
/// RankError of the kind lost, on all other ranks. So does a rank that fails between the messages of a call, for instance without memory.
/// MPI cannot go on after that: the program ends, and must not call MPI any more; MPI is not finalised. Another rank may still read host
/// memory that was being sent, until it notices the loss. Most launchers end all ranks when a process dies, earlier than this;
/// docs/cluster.md says how to tell them not to.
///
/// Operands. Scalars, points and inputs of reductions are this rank's own, of any size, in any place that its pool takes. Arrays of the
/// other calls are in host memory, given as spans, or on one device of this rank's pool; calls run after earlier work of that device's
/// default stream, and return when they are done.
///
/// Thread-safe. Copyable: copies share the same state, and keep the pool. When the last copy is destroyed the rank leaves, which others
/// notice when they next need it. In a forked child every member throws forked, and after a move from it wrong_context.
class MpiPool {
public:
    /// Called by all ranks of the communicator. \throws Error unsupported (no plugin for the MPI library, or one that does not fit it or
    /// the launcher; MPI without MPI_THREAD_MULTIPLE, or finalised), invalid_argument (an option is out of its range, or differs
    /// between ranks; the communicator is none), forked; RankError lost (not all ranks call it before the deadline), failed (a rank's
    /// option is out of its range, or its pool cannot be used). A rank without a plugin throws alone: the others may then wait in
    /// MPI_Init_thread until the launcher ends them
    explicit MpiPool(DevicePool pool, const MpiOptions& options = {}, SourceLocation where = SourceLocation::current());

    /// This rank, from 0.
    int rank(SourceLocation where = SourceLocation::current()) const;
    /// The number of ranks.
    int size(SourceLocation where = SourceLocation::current()) const;
    /// This rank's own pool.
    const DevicePool& pool(SourceLocation where = SourceLocation::current()) const;
    /// All ranks, in their order.
    const std::vector<RankInfo>& ranks(SourceLocation where = SourceLocation::current()) const;
    /// The name and version of the MPI library.
    std::string library(SourceLocation where = SourceLocation::current()) const;

    /// This rank's part of `items`, in proportion to the ranks' weights. The parts of all ranks, in their order, are all items. Sends
    /// nothing.
    RankShare share(std::uint64_t items, SourceLocation where = SourceLocation::current()) const;
    /// The same of any rank. \throws Error invalid_argument if there is no such rank
    RankShare share_of(int rank, std::uint64_t items, SourceLocation where = SourceLocation::current()) const;

    /// Waits until all ranks have called it.
    void barrier(SourceLocation where = SourceLocation::current()) const;

    /// The sum of all ranks' terms, as DevicePool::msm() of each rank's. Only the ranks' sums travel; they are added in the order of the
    /// ranks. The result has z = 1 (or 0 for infinity), so it has the same bits on all ranks, for any number of them and any division of
    /// the terms. DevicePool::msm() gives another form of the same point: compare by to_affine(). A rank may have no terms. \param config
    /// are_points_montgomery_form is the same on all ranks; results are on the host \throws what DevicePool::msm() throws, and unsupported
    /// (results on a device)
    template <Curve C>
    MpiReport msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                  JacobianPoint<C>& result, SourceLocation where = SourceLocation::current()) const;
    /// As many MSMs as there are results, the same number on all ranks; see DevicePool::msm() of several.
    template <Curve C>
    MpiReport msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                  std::span<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current()) const;
    /// Over bases that each rank has prepared with its pool: pool().prepare() of its share.
    template <Curve C>
    MpiReport msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config, JacobianPoint<C>& result,
                  SourceLocation where = SourceLocation::current()) const;
    /// As many MSMs over prepared bases as there are results.
    template <Curve C>
    MpiReport msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                  std::span<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current()) const;

    /// All elements of all ranks to one number on every rank. Each rank reduces its own, then the ranks' values are reduced as an array in
    /// the order of the ranks: integers are exact, a sum of floats depends on how the elements are divided. Values of 16-bit floats are
    /// float, and rounded at the end. Ranks without elements are left out. \throws what DevicePool::reduce() throws; Error invalid_argument
    /// (the minimum or maximum of nothing on all ranks)
    template <class T, class R>
    requires ReduceResult<R, T> MpiReport reduce(const PoolOperand<T>& input, ReduceOperation operation, R& result,
                                                 SourceLocation where = SourceLocation::current())
    const;

    /// Element by element over the ranks: output[i] = input of rank 0 [i] (op) input of rank 1 [i] (op) ... on every rank, from left to
    /// right. 16-bit floats are combined as float and rounded once, as Collectives::all_reduce() does. So all ranks get the same bits. Each
    /// rank combines its part of the elements. \param output  as large as the input; it is the input, or does not overlap it
    /// \throws Error unsupported (a product of floats)
    template <class T>
    MpiReport all_reduce(const Operand<T>& input, const OutputOperand<T>& output, ReduceOperation operation,
                         SourceLocation where = SourceLocation::current()) const;

    /// Copies one rank's array to all ranks. \param array  of one size on all ranks; read on the root, written on the others
    template <class T>
    MpiReport broadcast(const OutputOperand<T>& array, int root, SourceLocation where = SourceLocation::current()) const {
        return broadcast_bytes(detail::RankArray::of(array), root, where);
    }

    /// Puts the ranks' arrays one after the other, on every rank. \param input  of any size, which may differ between ranks
    /// \param output  as large as all inputs together. The input may lie at its own place in it, or else does not overlap it
    template <class T>
    MpiReport all_gather(const Operand<T>& input, const OutputOperand<T>& output, SourceLocation where = SourceLocation::current()) const {
        return gather_bytes(detail::RankArray::of(input), detail::RankArray::of(output), where);
    }

    /// Sends an array to a rank that receives it with the same tag, of the same type and size; returns when the array is no longer in use.
    /// Any thread may send and receive at any time, but arrays between two ranks with one tag only one at a time. It may wait until the
    /// other rank receives: two ranks that both send first wait for each other. \param tag  0 to 32751 \throws Error invalid_argument (no
    /// such rank, this rank, a tag that is out of range); RankError lost
    template <class T>
    MpiReport send(const Operand<T>& array, int to, int tag = 0, SourceLocation where = SourceLocation::current()) const {
        return send_bytes(detail::RankArray::of(array), to, tag, where);
    }
    /// Receives what a rank sends. \throws Error as send(), and invalid_argument if the sender's array has another size, which the message
    /// names; RankError failed if the sender could not read its array
    template <class T>
    MpiReport receive(const OutputOperand<T>& array, int from, int tag = 0, SourceLocation where = SourceLocation::current()) const {
        return receive_bytes(detail::RankArray::of(array), from, tag, where);
    }

    /// Runs kernels that all ranks know, each on one device of one rank, in proportion to the ranks' devices, and gives all outputs to all
    /// ranks, in the order of the works. \param works  the same on all ranks, which is checked by a hash
    /// \throws what run_kernel() throws; Error no_device if no rank has a device
    std::vector<KernelOutputs> run_kernels(std::span<const KernelWork> works, SourceLocation where = SourceLocation::current()) const;

private:
    class State;

    /// Called first by every member. \throws Error wrong_context if the object was moved from, forked
    State& state(const SourceLocation& where) const;
    template <Curve C, class Bases>
    MpiReport sum_of_ranks(const PoolOperand<Scalar>& scalars, const Bases& bases, const MsmConfig& config,
                           std::span<JacobianPoint<C>> results, const SourceLocation& where) const;
    MpiReport broadcast_bytes(const detail::RankArray& array, int root, const SourceLocation& where) const;
    MpiReport gather_bytes(const detail::RankArray& input, const detail::RankArray& output, const SourceLocation& where) const;
    MpiReport send_bytes(const detail::RankArray& array, int to, int tag, const SourceLocation& where) const;
    MpiReport receive_bytes(const detail::RankArray& array, int from, int tag, const SourceLocation& where) const;

    std::shared_ptr<State> state_;
};

}  // namespace cupool
