# SPDX-License-Identifier: Apache-2.0
#
# A session per call takes the library eight times as long under sanitizers, and hostile calls of the same operators are
# quick there.
ob_label(conform.onnxruntime.support plain)
