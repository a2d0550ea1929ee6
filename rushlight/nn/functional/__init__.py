"""`torch.nn.functional`: functions of neural networks, one file for each family."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.nn.functional.activation import *
from rushlight.nn.functional.activation import _get_softmax_dim as _get_softmax_dim
from rushlight.nn.functional.adaptive_pooling import *
from rushlight.nn.functional.attention import *
from rushlight.nn.functional.batch_normalization import *
from rushlight.nn.functional.batch_normalization import _verify_batch_size as _verify_batch_size
from rushlight.nn.functional.batch_normalization import _verify_spatial_size as _verify_spatial_size
from rushlight.nn.functional.convolution import *
from rushlight.nn.functional.ctc import *
from rushlight.nn.functional.distance import *
from rushlight.nn.functional.dropping import *
from rushlight.nn.functional.entropy import *
from rushlight.nn.functional.folding import *
from rushlight.nn.functional.fractional_pooling import *
from rushlight.nn.functional.grid_sampling import *
from rushlight.nn.functional.interpolation import *
from rushlight.nn.functional.layer_normalization import *
from rushlight.nn.functional.linear_entropy import linear_cross_entropy as linear_cross_entropy
from rushlight.nn.functional.losses import *
from rushlight.nn.functional.margin_losses import *
from rushlight.nn.functional.multi_head_attention import *
from rushlight.nn.functional.multi_head_attention import _canonical_mask as _canonical_mask
from rushlight.nn.functional.multi_head_attention import _in_projection as _in_projection
from rushlight.nn.functional.multi_head_attention import _in_projection_packed as _in_projection_packed
from rushlight.nn.functional.multi_head_attention import _none_or_dtype as _none_or_dtype
from rushlight.nn.functional.normalization import *
from rushlight.nn.functional.pooling import *
from rushlight.nn.functional.rms_normalization import *
from rushlight.nn.functional.shuffling import *
from rushlight.nn.functional.unpooling import *
from rushlight.ops.picking.embedding import embedding as embedding
from rushlight.ops.picking.embedding_bag import embedding_bag as embedding_bag
from rushlight.ops.picking.one_hot import one_hot as one_hot
from rushlight.ops.products.contractions import bilinear as bilinear
from rushlight.ops.products.products import linear as linear
from rushlight.ops.shapes.padding import pad as pad
from rushlight.refusals.guard import guard as _guard

_guard(globals(), "nn.functional")

_explain_misses(globals())
