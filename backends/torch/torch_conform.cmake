# SPDX-License-Identifier: Apache-2.0
ob_label(conform.torch.support full) # each refusal of libtorch is an exception: half a minute
