from dataclasses import dataclass

@dataclass
class InputTags:
    sparse: bool
    positive_only: bool

@dataclass
class ClassifierTags:
    poor_score: bool

@dataclass
class Tags:
    input_tags: InputTags
    classifier_tags: ClassifierTags | None
