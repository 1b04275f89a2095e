#pragma once

#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/device_pool.hpp>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fault_latch.hpp"
#include "msm/by_windows.hpp"
#include "msm/results.hpp"
#include "peers/peer_paths.hpp"
#include "pool_member.hpp"
#include "scheduling/device_threads.hpp"
#include "scheduling/part_times.hpp"
#include "scheduling/relative_speeds.hpp"
#include "scheduling/round_robin.hpp"
#include "scheduling/shares.hpp"
#include "teardown.hpp"

namespace cupool {

/// What the copies of a pool share.
class DevicePool::State {
public:
    static std::shared_ptr<State> of_host(unsigned threads, std::vector<ExcludedDevice> excluded);
    /// \param driver  null for the host's own
    static std::shared_ptr<State> of_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals,
                                             std::vector<ExcludedDevice> excluded);

    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// \throws Error forked in a child of the process that made the pool
    void require_own_process(const SourceLocation& where) const { process_.require_own_process("the pool", where); }

    bool is_host() const { return ordinals_.empty(); }
    const std::vector<int>& ordinals() const { return ordinals_; }
    const std::vector<ExcludedDevice>& excluded_devices() const { return excluded_devices_; }
    std::size_t size() const { return members_.size(); }
    /// The index of a device in the pool, by its ordinal; of the host's one member by what stands for its ordinal. \pre it is in the pool
    std::size_t index_of(int ordinal) const;
    detail::PoolMember& member(std::size_t index) const { return *members_[index]; }
    LoadBalancer& balancer();
    /// Of MSMs, whose work is counted in terms: see msm_work().
    LoadBalancer& msm_balancer();
    /// Of the members that fit, those `count` (fewer where fewer are available) that will have finished first, each with that work; in the
    /// pool's order. \param fits  empty: all \throws Error no_device
    std::vector<std::size_t> choose_for_msms(std::size_t count, double work, const std::function<bool(std::size_t)>& fits = {});
    LoadBalancer::Lease lease_for_msm_at(std::size_t index, double work) { return msm_balancer().lease(member(index).ordinal(), work); }

    /// What a member has of a job: some of the terms of some MSMs.
    struct MsmPart {
        std::size_t member = 0;
        detail::Share msms;
        detail::Share terms;  ///< of each of them
        std::shared_ptr<LoadBalancer::Lease> lease = nullptr;
        std::shared_ptr<detail::PartTimes> times = nullptr;  ///< null where no other part shares the work
    };
    /// Divides so many MSMs among these members by their weights. Empty parts are left out.
    std::vector<MsmPart> parts_of_msms(std::span<const std::size_t> members, std::size_t msms, std::size_t terms);
    /// Divides the terms of some MSMs among these members by their weights. Empty parts are left out, but for the first where there are no
    /// terms.
    std::vector<MsmPart> parts_of_terms(std::span<const std::size_t> members, const detail::Share& msms, std::size_t terms);
    /// Leases the members for their parts, which are the whole of something that they share. \param work_of_term  as the balancer counts it
    void lease_parts(std::vector<MsmPart>& parts, double work_of_term);
    /// Calls function(), which does a part on the calling thread, and counts it.
    RunReport run_part(const MsmPart& part, const std::function<RunReport()>& function);

    /// Pieces on their way to the members' workers, and what is done when all have ended.
    class MsmJob;
    /// The pieces that MSMs are done in, and how their sums come to be results.
    template <Curve C>
    class MsmPieces;
    template <Curve C>
    struct GivenMsms;
    template <Curve C>
    class MsmsOfPoints;
    template <Curve C>
    class MsmsOfBases;
    class BroughtOperands;
    /// Checks what MSMs of points and of bases have in common.
    template <Curve C>
    GivenMsms<C> given_msms(const PoolOperand<Scalar>& scalars, const MsmConfig& config, const detail::MsmResults<C>& results) const;
    /// See DevicePool: checks, chooses the members and leases them. \param user  the pool, as bases know it \param where  of the program:
    /// failures of the job are reported there
    template <Curve C>
    std::shared_ptr<MsmJob> plan_msms(GivenMsms<C> given, PoolOperand<AffinePoint<C>> points, MsmSpread spread,
                                      const SourceLocation& where);
    template <Curve C>
    std::shared_ptr<MsmJob> plan_msms(GivenMsms<C> given, const PooledBases<C>& bases, MsmSpread spread,
                                      const std::shared_ptr<const void>& user, const SourceLocation& where);

    /// Refuses device memory that no MSM of this pool can use. \param name  of the operand or the results
    void require_msm_memory(const DeviceSpan<const std::byte>& memory, const std::string& name) const;
    /// Refuses an operand that does not lie where its flag says, or lies outside of the pool.
    template <class T>
    void require_msm_operand(const PoolOperand<T>& operand, bool flag, const std::string& name) const;
    /// The parts that slices of operands make, each on its own device. \throws Error invalid_argument where one is quarantined
    std::vector<MsmPart> parts_of_slices(const Division& division, std::size_t msms) const;
    /// The member on whose device an operand lies as a whole, if it does, and is not quarantined.
    template <class T>
    std::optional<std::size_t> home_of(const PoolOperand<T>& operand) const;

    /// How many bits the digits should have whose windows the parts' devices share; nothing where they had better share the terms.
    /// \param operands  what is read of host memory
    template <Curve C>
    std::optional<unsigned> width_of_shared_windows(const std::vector<MsmPart>& parts, std::size_t terms,
                                                    const std::vector<const void*>& operands, const MsmConfig& config, MsmSpread spread);
    /// Whether all of these devices reach each other's memory, and but for shared_windows fast.
    bool have_links(const std::vector<MsmPart>& parts, MsmSpread spread);
    /// Whether the parts' devices are taken to be equally fast.
    bool are_alike(const std::vector<MsmPart>& parts);
    bool are_page_locked(const MsmPart& part, const std::vector<const void*>& operands);
    /// The terms that a part has of MSM number `msm`.
    template <Curve C>
    using PartOfTerms = std::function<detail::TermsOfDevice<C>(std::size_t msm, const MsmPart& part, const DeviceContext& context)>;
    /// The MSMs of these parts, of so many terms each, one after the other: each part has some of the terms, and the devices share the
    /// windows. Done on the calling thread, in a piece of work of the first part's member. \param config  whose ctx is not looked at
    template <Curve C>
    RunReport msms_by_windows(const std::vector<MsmPart>& parts, const MsmConfig& config, unsigned width, std::size_t terms,
                              const PartOfTerms<C>& part_of_terms, std::span<JacobianPoint<C>> sums);
    class Reduction;
    /// See DevicePool. The operands of reduce_results() are known to be the pool's.
    template <class T, class R>
    RunReport reduce(const PoolOperand<T>& input, ReduceOperation operation, R& result);
    template <class T, class R>
    RunReport reduce_results(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation, R& result);
    /// Counts what another part of a job has come to.
    void join(RunReport& whole, const RunReport& part) const;
    /// Counts bytes that go from one member to another, or to itself.
    void count_copy(std::size_t from, std::size_t to, std::uint64_t bytes) const {
        member(from).bytes += bytes;
        if (to != from) member(to).bytes += bytes;
    }
    /// Between the members.
    detail::PeerPaths& peers() { return peers_; }
    const detail::FaultLatch& faults() const { return faults_; }

    /// Calls the function unless there was a device fault, and looks at its failure.
    void guard(const std::function<void()>& function);
    /// Does a piece of work on the calling thread: with the device's context, counted, guarded. \param where  of the program: what keeps
    /// the work from beginning is reported there
    void run(std::size_t index, const Work& work, const SourceLocation& where = SourceLocation::current());
    /// Does one piece of work of several members on the calling thread, counted for each.
    void run_together(std::span<const std::size_t> indices, const std::function<void()>& work);
    /// Does it on the device's worker thread. \param lease  of balancer(), which lets the work move to another device before it begins;
    /// null where nobody balanced
    void post(std::size_t index, std::shared_ptr<detail::PoolTask> task, std::shared_ptr<LoadBalancer::Lease> lease,
              const SourceLocation& where);
    /// Does it on the calling thread instead, counted and told as if a worker did it.
    void perform_here(std::size_t index, detail::PoolTask& task, const SourceLocation& where);
    /// Does it on the device's worker thread, or where the calling thread is itself a worker of this pool, for which another one may be
    /// waiting, on that. Whatever fails is told to the task.
    void give(std::size_t index, const std::shared_ptr<detail::PoolTask>& task, const SourceLocation& where) noexcept;
    /// Gives each of these members a piece of work: see give().
    std::vector<std::future<void>> start_each(std::span<const std::size_t> indices, Work work,
                                              const SourceLocation& where = SourceLocation::current());
    /// The same, and waits for all. \throws the failure of the lowest index
    void run_each(std::span<const std::size_t> indices, const Work& work, const SourceLocation& where = SourceLocation::current());

    int next_device(const SourceLocation& where) {
        detail::RoundRobin* const rotation = rotation_.load(std::memory_order_acquire);
        if (rotation == nullptr) [[unlikely]] {
            throw_no_turns(detail::copy_of(where));
        }
        return rotation->next();
    }
    /// The index of the device that DevicePool::best_available_device() tells.
    std::size_t best_available(std::size_t bytes_needed);
    /// \param why  nothing readmits it
    void set_quarantine(std::size_t index, std::optional<std::string> why);
    /// The indices of the members that are not quarantined. \throws Error no_device where there is none
    std::vector<std::size_t> healthy() const;

    /// Of so many items, the share of each member; none for those that are not among the indices.
    std::vector<detail::Share> divided(std::uint64_t items, Shares shares, const std::vector<std::size_t>& indices);
    /// The same by these weights, one for each member.
    std::vector<detail::Share> divided(std::uint64_t items, std::span<const double> weights, const std::vector<std::size_t>& indices) const;

    /// In which proportion the members share a job.
    std::vector<double> weights();
    /// The same for some of them.
    std::vector<double> weights_of(std::span<const std::size_t> indices);
    /// \param weights  one for each member; none where measured speeds are to hold
    void set_weights(std::vector<double> weights);
    /// Learned from jobs that several members share.
    detail::RelativeSpeeds& speeds();

private:
    explicit State(unsigned host_threads);
    State(const std::shared_ptr<const Driver>& driver, std::vector<int> ordinals);
    /// Waits for the work given to the members.
    ~State();
    /// What the last copy of a pool calls. A worker of the pool cannot wait for itself, nor for others that may wait for it: there, a
    /// thread of its own takes the pool down (Teardown), which is waited for before the process exits or the library is unloaded. A forked
    /// child leaks it: its threads stayed in the parent, and may hold its mutexes.
    static void release(State* state) noexcept;

    /// Looks at the piece's failure and counts it.
    void run_piece(std::size_t index, const Work& work, const SourceLocation& where);
    detail::Workers::Hooks worker_hooks();
    bool can_open(std::size_t index) noexcept;
    /// \param lease  null where nobody balanced \return whether it succeeded
    bool perform(std::size_t index, detail::PoolTask& task, std::shared_ptr<LoadBalancer::Lease> lease, const SourceLocation& where);
    void note(const Error& error);
    /// After a device fault: lets the pieces that wait for a worker, which may be long at another one, fail now. \pre the fault is latched
    void fail_waiting();
    /// Makes it where there is none. \pre mutex_ is held
    LoadBalancer& balancer_in(std::unique_ptr<LoadBalancer>& balancer, std::unique_ptr<BalancingPolicy> policy);
    /// Takes up the rotation among those that are not quarantined now, where it was left.
    void take_turns();
    [[noreturn]] void throw_no_turns(const SourceLocation& where) const;
    [[noreturn]] static void throw_all_quarantined(const SourceLocation& where = SourceLocation::current());

    detail::ProcessMark process_;
    std::vector<int> ordinals_;
    std::vector<ExcludedDevice> excluded_devices_;
    detail::FaultLatch faults_;
    std::mutex mutex_;  // of the making of balancers and speeds, of weights and of quarantine
    /// Of the MSMs whose windows are shared: the next one would wait for the devices with memory in its hands.
    std::mutex windows_mutex_;
    std::unique_ptr<LoadBalancer> balancer_;
    std::unique_ptr<LoadBalancer> msm_balancer_;
    /// One for each set of devices that there was so far: another thread may still be taking its turn in an earlier one.
    std::vector<std::unique_ptr<detail::RoundRobin>> rotations_;
    /// Null on the host, where all are quarantined, and after a device fault: one look tells whether there is a turn to take.
    std::atomic<detail::RoundRobin*> rotation_{nullptr};
    std::vector<std::unique_ptr<detail::PoolMember>> members_;
    std::unique_ptr<detail::RelativeSpeeds> speeds_;  ///< made when first asked for
    std::vector<double> own_weights_;                 ///< the program's, one for each member; none where measured speeds hold
    detail::PeerPaths peers_;
    /// For when the last copy goes in the pool's own work.
    std::unique_ptr<detail::Teardown> teardown_ =
        std::make_unique<detail::Teardown>(this, [](void* state) { delete static_cast<State*>(state); });
    std::unique_ptr<detail::Workers> workers_;  // last: its threads use the rest
};

}  // namespace cupool
