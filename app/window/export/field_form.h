#pragma once
// FieldForm: the members of a document's struct as a form, one row for each field that has a label, made from
// the table of its fields (engine/program/fields.h).

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHash>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <set>

#include "app/window/export/field_texts.h"
#include "engine/program/fields.h"
#include "engine/program/file_format_names.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {

template <class Struct>
class FieldForm : public QWidget {
 public:
  /// Editors are called `prefix` + key. Texts of the keys `chosen` can be chosen from what showValue()
  /// offers. `edited` hears of every change by the user.
  FieldForm(const QString& prefix, std::set<std::string_view> chosen,
            std::function<void(const Struct&)> edited)
      : prefix_(prefix),
        chosen_(std::move(chosen)),
        edited_(std::move(edited)),
        form_(new QFormLayout(this)) {
    for (const Field<Struct>& field : fields<Struct>())
      if (!field.label.empty()) field.visitMember([&](auto member) { addRow(field, member); });
  }

  /// `offered`: by key, what a text may be chosen from or consist of. Rows whose keys `left_out` has do not
  /// show.
  void showValue(const Struct& value, const QHash<QString, QStringList>& offered = {},
                 const std::set<std::string_view>& left_out = {}) {
    const bool same = value == value_;  // then nothing that is being typed is put back
    value_ = value;
    offered_ = offered;
    for (const Row& row : rows_) {
      const QSignalBlocker quiet(row.editor);
      if (!same || !row.editor->hasFocus()) row.show();
      form_->setRowVisible(row.editor, !left_out.contains(row.key));
    }
  }

 private:
  struct Row {
    std::string_view key;
    QWidget* editor;
    std::function<void()> show;  ///< of the value
  };

  template <class T>
  void change(T Struct::*member, const T& to) {
    if (value_.*member == to) return;
    value_.*member = to;
    edited_(Struct(value_));  // which may show another value at once
  }

  void add(const Field<Struct>& field, QWidget* editor, std::function<void()> show) {
    const QString label = qt(field.label);
    editor->setObjectName(prefix_ + qt(field.key));
    editor->setAccessibleName(label);
    editor->setToolTip(qt(field.help));
    form_->addRow(label, editor);
    rows_.push_back({field.key, editor, std::move(show)});
  }

  void addRow(const Field<Struct>& field, bool Struct::*member) {
    auto* box = new QCheckBox;
    add(field, box, [this, box, member] { box->setChecked(value_.*member); });
    connect(box, &QCheckBox::toggled, this, [this, member](bool on) { change(member, on); });
  }
  void addRow(const Field<Struct>& field, std::int64_t Struct::*member) {
    auto* box = new QSpinBox;
    box->setRange(static_cast<int>(field.range.minimum), static_cast<int>(field.range.maximum));
    box->setKeyboardTracking(false);
    if (field.range.minimum == 0) box->setSpecialValueText(tr("as usual"));
    const QString unit = QLatin1Char(' ') + qt(field.unit);
    const auto count = [box, unit](int number) {  // "1 column"
      box->setSuffix(number == 1 && unit.endsWith(QLatin1Char('s')) ? unit.chopped(1) : unit);
    };
    add(field, box, [this, box, member, count] {
      const auto number = static_cast<int>(value_.*member);
      count(number);
      box->setValue(number);
    });
    connect(box, &QSpinBox::valueChanged, this, [this, member, count](int number) {
      count(number);
      change(member, static_cast<std::int64_t>(number));
    });
  }
  void addRow(const Field<Struct>& field, double Struct::*member) {
    auto* box = new QDoubleSpinBox;
    box->setRange(static_cast<double>(field.range.minimum), static_cast<double>(field.range.maximum));
    box->setSingleStep(0.25);
    box->setSuffix(QLatin1Char(' ') + qt(field.unit));
    box->setKeyboardTracking(false);
    box->setSpecialValueText(tr("as usual"));
    add(field, box, [this, box, member] { box->setValue(value_.*member); });
    connect(box, &QDoubleSpinBox::valueChanged, this,
            [this, member](double number) { change(member, number); });
  }
  template <class Enumeration>
  requires std::is_enum_v<Enumeration>
  void addRow(const Field<Struct>& field, Enumeration Struct::*member) {
    auto* box = new QComboBox;
    for (const std::string_view name : spellings<Enumeration>) box->addItem(qt(name));
    add(field, box, [this, box, member] { box->setCurrentIndex(static_cast<int>(value_.*member)); });
    connect(box, &QComboBox::currentIndexChanged, this,
            [this, member](int index) { change(member, static_cast<Enumeration>(index)); });
  }
  void addRow(const Field<Struct>& field, std::string Struct::*member) {
    if (chosen_.contains(field.key)) return addChoice(field, member);
    auto* line = new QLineEdit;
    add(field, line, [this, line, member] { line->setText(qt(value_.*member)); });
    connect(line, &QLineEdit::editingFinished, this,
            [this, line, member] { change(member, line->text().trimmed().toStdString()); });
  }
  void addChoice(const Field<Struct>& field, std::string Struct::*member) {
    auto* box = new QComboBox;
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(12);
    box->lineEdit()->setPlaceholderText(tr("as usual"));
    const QString key = qt(field.key);
    add(field, box, [this, box, member, key] {
      const QStringList offered = offered_.value(key);
      box->clear();
      box->addItems(offered);
      box->setCurrentText(qt(value_.*member));
    });
    const auto take = [this, box, member] { change(member, box->currentText().trimmed().toStdString()); };
    connect(box, &QComboBox::activated, this, take);
    connect(box->lineEdit(), &QLineEdit::editingFinished, this, take);
  }
  /// Lists, ranges and knobs are typed as one text; what cannot be read is put back.
  template <class T>
  requires requires(T value, const QString& text) { readField(text, value); }
  void addRow(const Field<Struct>& field, T Struct::*member) {
    auto* line = new QLineEdit;
    line->setPlaceholderText(fieldHint<T>());
    const QString key = qt(field.key), help = qt(field.help);
    add(field, line, [this, line, member, key, help] {
      line->setText(fieldText(value_.*member));
      const QStringList offered = offered_.value(key).mid(0, 20);
      line->setToolTip(offered.isEmpty() ? help
                                         : help + QStringLiteral("\n") + offered.join(QStringLiteral("\n")));
    });
    connect(line, &QLineEdit::editingFinished, this, [this, line, member] {
      T read = value_.*member;
      if (readField(line->text(), read)) change(member, read);
      line->setText(fieldText(value_.*member));
    });
  }
  /// What no figure has.
  template <class T>
  requires(!std::is_enum_v<T> && !requires(T value, const QString& text) {
    readField(text, value);
  }) void addRow(const Field<Struct>&, T Struct::*) {}

  QString prefix_;
  std::set<std::string_view> chosen_;
  std::function<void(const Struct&)> edited_;
  QFormLayout* form_;
  std::vector<Row> rows_;
  QHash<QString, QStringList> offered_;
  Struct value_;
};

}  // namespace sluice::ui
