#include "replicas/replica_code.hpp"

#include "support/shipped_code.hpp"

namespace cupool::detail {

Module load_replica_model(ContextView context, const ShippedCode& code) { return load(context, code); }

}  // namespace cupool::detail
