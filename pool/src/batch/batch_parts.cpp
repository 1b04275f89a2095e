#include "batch/batch_parts.hpp"

#include <algorithm>

#include "memory_checks.hpp"

namespace cupool::detail {

namespace {

std::size_t item_count(const BatchShape& shape, std::size_t inputs, std::size_t outputs) {
    if (inputs % shape.item_inputs != 0) {
        refuse(shape.job, std::to_string(inputs) + " inputs do not divide evenly among " + shape.item + " of " +
                              std::to_string(shape.item_inputs) + " elements");
    }
    const std::size_t items = inputs / shape.item_inputs;
    if (outputs != items * shape.item_outputs) {
        refuse(shape.job, "there are " + std::to_string(items * shape.item_outputs) + " outputs, but room for " + std::to_string(outputs));
    }
    return items;
}

OutputOperand<Scalar> part_of(const OutputOperand<Scalar>& outputs, std::size_t offset, std::size_t count) {
    if (outputs.is_on_device()) return outputs.device().subspan(offset, count);
    return outputs.host().subspan(offset, count);
}

/// Divides a batch whose operands are both in host memory.
std::vector<BatchPart> divided_host_batch(PoolState& pool, const BatchShape& shape, std::span<const Scalar> inputs,
                                          std::span<Scalar> outputs) {
    const std::size_t items = inputs.size() / shape.item_inputs;
    const std::vector<std::size_t> members = pool.least_busy(std::max<std::size_t>(inputs.size_bytes() / min_bytes_a_device, 1));
    const std::vector<double> weights = pool.weights();
    const std::vector<Slice> slices = pool.divided(items, std::span<const double>(weights), members);
    std::vector<BatchPart> parts;
    for (const std::size_t member : members) {
        const Slice& own = slices[member];
        // If there is nothing to do, the first one checks what the job itself checks.
        if (own.count == 0 && (items != 0 || member != members.front())) continue;
        parts.push_back({member, inputs.subspan(own.offset * shape.item_inputs, own.count * shape.item_inputs),
                         outputs.subspan(own.offset * shape.item_outputs, own.count * shape.item_outputs)});
    }
    return parts;
}

/// How many items each span of an operand holds.
std::vector<std::size_t> items_of_spans(const BatchShape& shape, const std::vector<DeviceSpan<const Scalar>>& spans, std::size_t item_size,
                                        const std::string& name) {
    std::vector<std::size_t> items;
    for (const DeviceSpan<const Scalar>& span : spans) {
        if (span.size() % item_size != 0) {
            refuse(shape.job, "the slice of the " + name + " on device " + std::to_string(span.device()) + " has " +
                                  std::to_string(span.size()) + " elements, which are no whole " + shape.item + " of " +
                                  std::to_string(item_size));
        }
        items.push_back(span.size() / item_size);
    }
    return items;
}

/// "2 transforms on device 0, 1 transforms on device 1"
std::string text_of(const BatchShape& shape, const std::vector<DeviceSpan<const Scalar>>& spans, const std::vector<std::size_t>& items) {
    std::string text;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(items[i]) + ' ' + shape.item + " on device " + std::to_string(spans[i].device());
    }
    return text;
}

void require_same_devices(const BatchShape& shape, const std::vector<DeviceSpan<const Scalar>>& inputs,
                          const std::vector<DeviceSpan<const Scalar>>& outputs) {
    const std::vector<std::size_t> of_inputs = items_of_spans(shape, inputs, shape.item_inputs, "inputs");
    const std::vector<std::size_t> of_outputs = items_of_spans(shape, outputs, shape.item_outputs, "outputs");
    const auto is_same = [](const DeviceSpan<const Scalar>& left, const DeviceSpan<const Scalar>& right) {
        return left.device() == right.device();
    };
    if (of_inputs == of_outputs && std::equal(inputs.begin(), inputs.end(), outputs.begin(), outputs.end(), is_same)) return;
    refuse(shape.job, "inputs and outputs are not divided alike: there are the inputs of " + text_of(shape, inputs, of_inputs) +
                          "; the outputs of " + text_of(shape, outputs, of_outputs));
}

}  // namespace

std::vector<DeviceSpan<const Scalar>> checked_spans(const std::string& job, PoolState& pool, const PoolOperand<Scalar>& operand,
                                                    const std::string& name) {
    require_in_pool(job, pool, operand, name);
    std::vector<DeviceSpan<const Scalar>> spans;
    for (const DeviceSpan<const Scalar>& span : device_spans(operand)) {
        if (span.empty()) continue;
        const std::string which = "the slice of the " + name + " on device " + std::to_string(span.device());
        if (pool.member(pool.index_of(span.device())).quarantine())
            refuse(job, which + " cannot be used there: the device is quarantined; readmit it");
        for (const DeviceSpan<const Scalar>& other : spans) {
            if (other.device() == span.device()) refuse(job, which + " is the second one there; give one slice for each device");
        }
        spans.push_back(span);
    }
    return spans;
}

std::vector<BatchPart> divided_batch(PoolState& pool, const BatchShape& shape, const PoolOperand<Scalar>& inputs,
                                     const PoolOutputOperand<Scalar>& outputs) {
    (void)item_count(shape, inputs.size(), outputs.size());
    const std::vector<DeviceSpan<const Scalar>> input_spans = checked_spans(shape.job, pool, inputs, "inputs");
    const std::vector<DeviceSpan<const Scalar>> output_spans = checked_spans(shape.job, pool, outputs.as_input(), "outputs");
    if (input_spans.empty() && output_spans.empty()) {
        const std::span<const Scalar> from = inputs.is_on_host() ? inputs.host() : std::span<const Scalar>();
        return divided_host_batch(pool, shape, from, outputs.is_on_host() ? outputs.host() : std::span<Scalar>());
    }
    if (!input_spans.empty() && !output_spans.empty()) require_same_devices(shape, input_spans, output_spans);
    const bool divides_by_inputs = !input_spans.empty();
    const std::vector<std::size_t> items = divides_by_inputs ? items_of_spans(shape, input_spans, shape.item_inputs, "inputs")
                                                             : items_of_spans(shape, output_spans, shape.item_outputs, "outputs");
    std::vector<BatchPart> parts;
    std::size_t first = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const int device = (divides_by_inputs ? input_spans : output_spans)[i].device();
        Operand<Scalar> from = inputs.is_on_host()
                                   ? Operand<Scalar>(inputs.host().subspan(first * shape.item_inputs, items[i] * shape.item_inputs))
                                   : Operand<Scalar>(input_spans[i]);
        OutputOperand<Scalar> to =
            outputs.is_on_host() ? OutputOperand<Scalar>(outputs.host().subspan(first * shape.item_outputs, items[i] * shape.item_outputs))
                                 : OutputOperand<Scalar>(DeviceSpan<Scalar>(output_spans[i].pointer(), output_spans[i].size(), device));
        parts.push_back({pool.index_of(device), from, to});
        first += items[i];
    }
    return parts;
}

RunReport run_batch(PoolState& pool, const BatchShape& shape, const std::vector<BatchPart>& parts, const RunItems& run_items) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::size_t> members;
    for (const BatchPart& part : parts) members.push_back(part.member);
    std::vector<RunReport> reports(pool.size());
    const auto run_part = [&](std::size_t index, const DeviceContext& context) {
        const BatchPart& part = *std::find_if(parts.begin(), parts.end(), [&](const BatchPart& other) { return other.member == index; });
        const std::size_t items = part.inputs.size() / shape.item_inputs;
        const bool is_whole = context.is_host() || (part.inputs.is_on_device() && part.outputs.is_on_device());
        const std::size_t step = is_whole ? items : std::max<std::size_t>(shape.step_bytes / (shape.item_inputs * sizeof(Scalar)), 1);
        std::size_t done = 0;
        do {
            const std::size_t count = std::min(step, items - done);
            const RunReport report = run_items(context, part.inputs.subspan(done * shape.item_inputs, count * shape.item_inputs),
                                               part_of(part.outputs, done * shape.item_outputs, count * shape.item_outputs));
            pool.join(reports[index], report);
            pool.member(index).bytes += report.bytes;
            done += count;
        } while (done < items);
    };
    if (members.size() == 1) {
        pool.run(members.front(), run_part);
    } else {
        pool.run_each(members, run_part);
    }
    return joined_report(pool, members, reports, start);
}

RunReport joined_report(const PoolState& pool, const std::vector<std::size_t>& members, const std::vector<RunReport>& reports,
                        std::chrono::steady_clock::time_point start) {
    RunReport whole{.engine = pool.is_host() ? Engine::host : Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    for (const std::size_t member : members) pool.join(whole, reports[member]);
    whole.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return whole;
}

}  // namespace cupool::detail
