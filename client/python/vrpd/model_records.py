"""Answers about models, datasets, matrices and checked instances."""

from __future__ import annotations

from datetime import datetime

from .records import Record


class SizeBucket(Record):
    """Results of instances of similar size."""

    MESSAGE = "SizeBucket"
    min_customers: int
    max_customers: int
    instance_count: int
    mean_cost: float
    mean_gap: float | None


class ModelEvaluation(Record):
    """Quality of a model's plans on a set of instances."""

    MESSAGE = "ModelEvaluation"
    data: str
    mode: str
    instance_count: int
    mean_cost: float
    standard_error: float
    reference: str
    mean_gap: float | None
    gap_standard_error: float | None
    instances_per_second: float
    evaluate_time: datetime | None
    sizes: tuple[SizeBucket, ...]


class HabitSearchRow(Record):
    """Figures of the plans with one weight of the habits, or of the driven routes."""

    MESSAGE = "HabitSearchRow"
    weight: float
    leg_share: float
    leg_gain_standard_error: float
    directed_leg_share: float
    directed_leg_gain_standard_error: float
    extra_distance: float
    extra_distance_standard_error: float


class HabitSearchReport(Record):
    """The similarity and the distance of plans with each weight of a habit model."""

    MESSAGE = "HabitSearchReport"
    day_count: int
    skipped_day_count: int
    skip_reason: str
    late_plan_count: int
    rows: tuple[HabitSearchRow, ...]
    driven: HabitSearchRow | None


class HabitEvaluation(Record):
    """How well a habit model foretells routes that it did not learn from."""

    MESSAGE = "HabitEvaluation"
    history: str
    route_count: int
    day_count: int
    next_stop_accuracy: float
    mean_log_probability: float
    route_similarity: float
    length_ratio: float | None
    new_stop_count: int
    new_next_stop_accuracy: float
    new_mean_log_probability: float
    search: HabitSearchReport | None


class EvaluationReport(Record):
    """Result of an evaluation."""

    MESSAGE = "EvaluationReport"
    model: str
    evaluations: tuple[ModelEvaluation, ...]
    card_error: str
    habits: HabitEvaluation | None


class ModelInfo(Record):
    """A version of a model."""

    MESSAGE = "Model"
    name: str
    architecture: str
    architecture_json: str
    problem_types: tuple[str, ...]
    input_features: tuple[str, ...]
    parameter_count: int
    training_job: str
    training_config: str
    training_steps: int
    validation_cost: float
    validation_reference_cost: float
    create_time: datetime | None
    weights_sha256: str
    evaluations: tuple[ModelEvaluation, ...]
    aliases: tuple[str, ...]
    loaded: bool
    live: bool
    validation_gap: float | None
    validation_reference: str
    sweep: str
    trial: int


class MatricesInfo(Record):
    """Uploaded matrices."""

    MESSAGE = "Matrices"
    name: str
    size: int
    with_durations: bool
    size_bytes: int
    create_time: datetime | None


class DatasetInfo(Record):
    """An uploaded dataset."""

    MESSAGE = "Dataset"
    name: str
    instance_count: int
    size_bytes: int
    create_time: datetime | None
    sha256: str
    problem_types: tuple[str, ...]
    min_customers: int
    max_customers: int
    instances_with_tours: int
    instances_with_reference_cost: int
    feature_columns: tuple[str, ...]
    kind: str
    """"instances", "request_log" or "route_history"."""
    day_count: int
    request_count: int
    route_count: int
    stop_count: int


class DatasetDeletion(Record):
    """What was deleted with a dataset, and the models that were trained on it, which stay."""

    MESSAGE = "DeleteDatasetResponse"
    deleted_label_count: int
    deleted_simulations: tuple[str, ...]
    deleted_training_jobs: tuple[str, ...]
    kept_models: tuple[str, ...]


class Validation(Record):
    """The errors and properties that the daemon found in an instance."""

    MESSAGE = "ValidateInstanceResponse"
    valid: bool
    errors: tuple[str, ...]
    unsupported_features: tuple[str, ...]
    name: str
    problem_type: str
    customer_count: int
    depot_count: int


class Publication(Record):
    """Weights that a running job published."""

    MESSAGE = "PublishTrainingJobResponse"
    model: str
    step: int
