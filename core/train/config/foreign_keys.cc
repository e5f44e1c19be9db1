#include "core/train/config/foreign_keys.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr auto kForeignKeys = std::to_array<ForeignKey>({
    // Precision and kernels.
    {"use_amp amp_enabled enable_amp mixed_precision use_mixed_precision autocast use_autocast",
     "use training.amp"},
    {"amp_dtype autocast_dtype dtype precision", "use training.amp_type, with training.amp"},
    {"fp16 use_fp16 half", "use training.amp_type: fp16, with training.amp: true"},
    {"bf16 use_bf16", "use training.amp: true, whose type is bf16 by default"},
    {"grad_scaler use_grad_scaler scaler loss_scale init_scale",
     "not configurable: with training.amp_type: fp16 losses are scaled automatically"},
    {"allow_tf32 use_tf32 float32_matmul_precision matmul_precision", "use training.tf32"},
    {"cudnn_benchmark benchmark use_cudnn_benchmark",
     "not configurable: cuDNN's benchmark chooses between algorithms of convolutions, which "
     "these networks do not have"},
    {"cudnn_deterministic use_deterministic_algorithms", "use training.deterministic"},
    {"compile torch_compile use_compile compile_model compile_mode jit use_jit",
     "not configurable: nothing is compiled at run time; on a GPU steps are captured as CUDA "
     "graphs automatically"},
    {"use_checkpoint use_checkpointing gradient_checkpoint activation_checkpointing "
     "grad_checkpointing use_gradient_checkpointing",
     "use training.gradient_checkpointing"},
    // The loader.
    {"num_workers n_workers num_worker dataloader_workers", "use loader.workers"},
    {"prefetch_factor prefetch_batches num_prefetch",
     "use loader.prefetch: batches ahead in all, not for each worker"},
    {"pin_memory use_pin_memory pinned non_blocking", "use loader.pin"},
    {"persistent_workers", "not configurable: the loader's threads always last as long as the job"},
    {"shuffle",
     "not configurable: generated instances are random, and labelled samples come in a new random "
     "order each epoch"},
    {"drop_last", "not configurable: the last batch of an epoch over labels may be smaller"},
    {"train_file train_data train_path data_path dataset dataset_path",
     "use problem.instances, or with training.method: supervised supervised.label_file"},
    {"train_size dataset_size num_samples n_samples epoch_size",
     "use supervised.samples with training.method: supervised; else an epoch is "
     "training.batches_per_epoch batches of training.batch_size"},
    // The network's sizes.
    {"hidden_dim hidden_size d_model embed_dim embedding_dim emb_dim n_hidden model_dim",
     "use network.hidden or graph_transformer.hidden, depending on model"},
    {"num_layers n_layers num_encoder_layers n_encode_layers n_layer num_decoder_layers",
     "use network.layers or graph_transformer.layers, depending on model"},
    {"num_heads n_heads nhead n_head attention_heads", "use graph_transformer.heads"},
    {"dim_feedforward feedforward_dim feed_forward_dim ff_dim ffn_dim feed_forward_hidden "
     "feedforward_hidden",
     "use graph_transformer.feed_forward"},
    {"dropout_rate dropout_p dropout_prob p_dropout",
     "use network.dropout; a graph transformer has none"},
    {"normalization norm_type", "use graph_transformer.norm"},
    {"tanh_clipping clip_logits logit_clipping",
     "use network.logit_clip or graph_transformer.logit_clip, depending on model"},
    {"architecture arch model_type model_name network_type",
     "use model for the architecture, name for the trained model"},
    // The optimiser and its schedule.
    {"num_epochs n_epochs epoch max_epochs", "use training.epochs"},
    {"steps_per_epoch num_batches n_batches batches iterations_per_epoch",
     "use training.batches_per_epoch"},
    {"batch train_batch_size mini_batch_size minibatch_size per_device_train_batch_size",
     "use training.batch_size"},
    {"accumulation_steps gradient_accumulation_steps grad_accumulation_steps grad_accum_steps "
     "accumulate_grad_batches grad_accum",
     "use training.accumulate_steps, the number of parts of a step; a step still has "
     "training.batch_size instances in all"},
    {"lr base_lr max_lr initial_lr lr_model", "use training.learning_rate"},
    {"scheduler lr_scheduler lr_schedule",
     "use training.schedule: constant, exponential, step, linear or cosine"},
    {"gamma lr_decay decay_rate lr_gamma", "use training.learning_rate_decay"},
    {"step_size lr_milestones", "use training.milestones, with training.schedule: step"},
    {"min_lr eta_min lr_min final_lr",
     "use training.final_learning_rate, with training.schedule: linear or cosine"},
    {"warmup num_warmup_steps lr_warmup_steps warmup_iters", "use training.warmup_steps"},
    {"weight_decay_rate wd l2 l2_reg", "use training.weight_decay"},
    {"grad_clip max_grad_norm clip_grad_norm grad_norm_clip clip_grad gradient_clip_val max_norm",
     "use training.gradient_clip"},
    {"optimizer optimiser optim optimizer_type",
     "not configurable: the optimiser is AdamW; its keys are training.learning_rate and "
     "training.weight_decay"},
    {"betas beta1 beta2 adam_beta1 adam_beta2 adam_epsilon eps momentum",
     "not configurable: AdamW uses PyTorch's defaults, betas 0.9 and 0.999 and epsilon 1e-8"},
    {"ema ema_decay use_ema swa", "use training.weight_average"},
    {"early_stopping early_stopping_patience early_stop es_patience", "use training.patience"},
    // Seeds, devices and files.
    {"seed random_seed manual_seed rng_seed",
     "use training.seed (weights and draws), problem.seed (instances) and validation.seed"},
    {"device cuda gpu use_cuda use_gpu gpu_id accelerator devices",
     "not a configuration key: choose it at submission, vrpctl train --device cuda:0"},
    {"distributed ddp use_ddp world_size num_gpus n_gpus gpus local_rank rank backend",
     "not configurable: a training job runs on one device"},
    {"checkpoint_dir save_dir output_dir ckpt_dir",
     "not configurable: checkpoints are in the daemon's state_dir, models in its models_dir"},
    {"save_every save_interval save_steps checkpoint_interval checkpoint_every save_freq",
     "use training.checkpoint_every_steps"},
    {"save_total_limit max_checkpoints keep_checkpoints", "use training.keep_last_checkpoints"},
    {"save_top_k", "use training.keep_best_checkpoints"},
    {"resume resume_from resume_from_checkpoint",
     "not configurable: an interrupted job resumes automatically; to start from a model's weights "
     "use training.initial_model"},
    {"load_path pretrained pretrained_path init_checkpoint checkpoint_path checkpoint",
     "use training.initial_model"},
    {"log_dir logdir tensorboard_dir tensorboard use_tensorboard log_interval log_every wandb "
     "use_wandb",
     "not configurable: TensorBoard files are always written; vrpctl jobs get names their folder"},
    // Problem, validation and method.
    {"graph_size problem_size num_customers n_customers num_nodes n_nodes num_loc",
     "use problem.customers, without the depot"},
    {"vehicle_capacity", "use problem.capacity"},
    {"val_size eval_size val_dataset_size val_instances num_val_samples",
     "use validation.instances"},
    {"val_file val_dataset val_data val_path eval_file", "use validation.file"},
    {"val_batch_size eval_batch_size",
     "not configurable: a validation uses batches of at most 512 instances"},
    {"bl_alpha", "use reinforce.baseline_significance"},
    {"bl_warmup_epochs", "use reinforce.warmup_epochs"},
    {"exp_beta", "use reinforce.average_decay"},
    {"pomo_size num_starts n_starts", "use reinforce.starts, with reinforce.baseline: pomo"},
    {"teacher_forcing teacher_forcing_ratio",
     "use supervised.teacher_forcing_start and supervised.teacher_forcing_end"},
});

}  // namespace

std::span<const ForeignKey> ForeignKeys() { return kForeignKeys; }

std::string_view ForeignKeyHint(std::string_view path) {
  const std::string name = absl::StrReplaceAll(
      absl::AsciiStrToLower(ToAbsl(path.substr(path.rfind('.') + 1))), {{"-", "_"}});
  const auto found = std::find_if(kForeignKeys.begin(), kForeignKeys.end(), [&](const auto& key) {
    const std::vector<absl::string_view> names = absl::StrSplit(ToAbsl(key.names), ' ');
    return std::find(names.begin(), names.end(), name) != names.end();
  });
  return found == kForeignKeys.end() ? std::string_view() : found->hint;
}

}  // namespace vrp
